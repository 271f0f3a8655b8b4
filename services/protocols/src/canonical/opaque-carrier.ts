import { append } from '../lists/stages.ts';
import type { Opaque, OpaqueTarget } from './opaque.ts';
import type { OutputPart, ReasoningPart } from './part.ts';
import type { PartHead, StreamEvent } from './stream.ts';
import { textFingerprint } from './text-fingerprint.ts';

/*
 * A provider can attach opaque values to texts and tool calls and require them there, while a client's protocol has a
 * field for them only in reasoning. They travel in the reasoning before their part, or in a reasoning part of their own
 * without text, and name the part that they belong to, since clients reorder parts.
 */

export interface CarrierStyle {
  /**
   * Whether a response may end in reasoning without text. Otherwise such reasoning is dropped at the end of a response,
   * and the value of a text is sent only in reasoning that is there anyway.
   */
  readonly endsInReasoning: boolean;
}

/** Moves the opaque values of texts and tool calls into reasoning, for encoding a response. */
export function detachOpaques(parts: readonly OutputPart[], { endsInReasoning }: CarrierStyle): readonly OutputPart[] {
  const detached: OutputPart[] = [];
  for (const part of parts) {
    if (!hasOpaque(part)) {
      detached.push(part);
      continue;
    }
    const { opaque, ...rest } = part;
    const named = { ...opaque, of: targetOf(part) };
    const before = detached.at(-1);
    if (before?.type === 'reasoning' && before.opaque === undefined) {
      detached[detached.length - 1] = { ...before, opaque: named };
    } else if (part.type === 'tool-call' || endsInReasoning) {
      detached.push({ type: 'reasoning', form: 'full', text: '', opaque: named });
    }
    detached.push(rest);
  }
  while (!endsInReasoning && isSilent(detached.at(-1))) detached.pop();
  return detached;
}

type WithOpaque = Extract<OutputPart, { readonly type: 'text' | 'tool-call' }> & { readonly opaque: Opaque };

function hasOpaque(part: OutputPart): part is WithOpaque {
  return (part.type === 'text' || part.type === 'tool-call') && part.opaque !== undefined;
}

function targetOf(part: WithOpaque): OpaqueTarget {
  return part.type === 'tool-call' ? { call: part.id } : { text: textFingerprint(part.text) };
}

function isSilent(part: OutputPart | undefined): part is ReasoningPart {
  return part?.type === 'reasoning' && part.text === '';
}

/** Parts added here are numbered above those of any response, so that all others keep their numbers. */
const FIRST_CARRIER_PART = 1_000_000_000;

interface OpenPart {
  readonly head: PartHead;
  /** Of a text, for its fingerprint. */
  text: string;
}

/**
 * `detachOpaques` for the first choice of a stream, without the others. Only the end of reasoning waits for the next part, and reasoning without
 * text for the part after it. A value that comes at the end of its part goes before the next part.
 */
export class OpaqueCarrier {
  readonly #style: CarrierStyle;
  readonly #open = new Map<number, OpenPart>();
  /** The end of reasoning without a value of its own, and reasoning without text after it. */
  #waiting: StreamEvent[] = [];
  /** Values whose part has ended. */
  #late: Opaque[] = [];
  #carriers = 0;

  constructor(style: CarrierStyle) {
    this.#style = style;
  }

  push(events: readonly StreamEvent[]): readonly StreamEvent[] {
    const out: StreamEvent[] = [];
    for (const event of events) this.#take(event, out);
    return out;
  }

  #take(event: StreamEvent, out: StreamEvent[]): void {
    switch (event.type) {
      case 'part-start':
        this.#start(event, out);
        break;
      case 'part-delta': {
        const open = this.#open.get(event.part);
        if (open === undefined || event.text === '') break;
        if (open.head.type === 'text') open.text += event.text;
        if (open.head.type === 'reasoning') this.#release(out);
        out.push(event);
        break;
      }
      case 'part-citation':
        if (this.#open.has(event.part)) out.push(event);
        break;
      case 'part-end':
        this.#end(event, out);
        break;
      case 'media':
        if (event.choice !== 0) break;
        this.#carryLate();
        this.#release(out);
        out.push(event);
        break;
      case 'finish':
        if (event.choice !== 0) break;
        if (this.#style.endsInReasoning) this.#carryLate();
        else this.#dropSilent();
        this.#release(out);
        out.push(event);
        break;
      case 'logprobs':
        if (event.choice === 0) out.push(event);
        break;
      case 'start':
      case 'usage':
        out.push(event);
        break;
      default:
        event satisfies never;
    }
  }

  #start(event: Extract<StreamEvent, { type: 'part-start' }>, out: StreamEvent[]): void {
    const { opaque, ...start } = event;
    const { part, head, choice } = start;
    if (choice !== 0) return;
    this.#open.set(part, { head, text: '' });
    if (opaque !== undefined && head.type === 'tool-call') this.#carry({ ...opaque, of: { call: head.id } });
    this.#carryLate();
    // Reasoning waits until it has text.
    if (head.type === 'reasoning') this.#waiting.push(start);
    else {
      this.#release(out);
      out.push(start);
    }
  }

  #end({ part, opaque }: Extract<StreamEvent, { type: 'part-end' }>, out: StreamEvent[]): void {
    const open = this.#open.get(part);
    if (open === undefined) return;
    this.#open.delete(part);
    if (open.head.type === 'reasoning') {
      const end: StreamEvent = opaque === undefined ? { type: 'part-end', part } : { type: 'part-end', part, opaque };
      if (opaque !== undefined && this.#waiting.length === 0) out.push(end);
      else this.#waiting.push(end);
      return;
    }
    out.push({ type: 'part-end', part });
    if (opaque === undefined) return;
    if (open.head.type === 'tool-call') this.#late.push({ ...opaque, of: { call: open.head.id } });
    else if (this.#style.endsInReasoning) this.#late.push({ ...opaque, of: { text: textFingerprint(open.text) } });
  }

  /** Puts a value into the waiting reasoning if that has none, or else into a part of its own. */
  #carry(opaque: Opaque): void {
    const end = this.#waiting.at(-1);
    if (end?.type === 'part-end' && end.opaque === undefined) {
      this.#waiting[this.#waiting.length - 1] = { ...end, opaque };
      return;
    }
    const part = FIRST_CARRIER_PART + this.#carriers++;
    this.#waiting.push(
      { type: 'part-start', part, choice: 0, head: { type: 'reasoning', form: 'full' } },
      { type: 'part-end', part, opaque },
    );
  }

  #carryLate(): void {
    const late = this.#late;
    this.#late = [];
    for (const opaque of late) this.#carry(opaque);
  }

  #release(out: StreamEvent[]): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    append(out, waiting);
  }

  /** Drops waiting reasoning without text. */
  #dropSilent(): void {
    const first = this.#waiting.findIndex((event) => event.type === 'part-start');
    if (first !== -1) this.#waiting.length = first;
  }
}
