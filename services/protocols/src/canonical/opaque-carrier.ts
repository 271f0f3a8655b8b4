import type { Opaque } from './opaque.ts';
import type { OutputPart, ReasoningPart } from './part.ts';
import type { StreamEvent } from './stream.ts';

/*
 * A provider can attach opaque values to texts and tool calls and require them there, while a client's protocol has a
 * field for them only in reasoning. They are then sent as separate reasoning parts without text, after the part they
 * belong to.
 */

/** Moves the opaque values of texts and tool calls into reasoning parts after them, for encoding a response. */
export function detachOpaques(parts: readonly OutputPart[]): readonly OutputPart[] {
  if (!parts.some(hasOpaque)) return parts;
  const detached: OutputPart[] = [];
  for (const part of parts) {
    if (!hasOpaque(part)) {
      detached.push(part);
      continue;
    }
    const { opaque, ...rest } = part;
    detached.push(rest, carrier(opaque));
  }
  return detached;
}

/**
 * Reattaches opaque values to the parts they were detached from, for decoding a request. A value whose part is missing is
 * dropped.
 */
export function attachOpaques(parts: readonly OutputPart[]): readonly OutputPart[] {
  if (!parts.some(isCarrier)) return parts;
  const attached: OutputPart[] = [];
  for (const part of parts) {
    if (!isCarrier(part)) {
      attached.push(part);
      continue;
    }
    const previous = attached.at(-1);
    if (previous === undefined || (previous.type !== 'text' && previous.type !== 'tool-call')) continue;
    if (previous.opaque !== undefined) continue;
    const { origin, data } = part.opaque;
    attached[attached.length - 1] = { ...previous, opaque: { origin, data } };
  }
  return attached;
}

type WithOpaque = Extract<OutputPart, { readonly type: 'text' | 'tool-call' }> & { readonly opaque: Opaque };

function hasOpaque(part: OutputPart): part is WithOpaque {
  return (part.type === 'text' || part.type === 'tool-call') && part.opaque !== undefined;
}

function isCarrier(part: OutputPart): part is ReasoningPart & { readonly opaque: Opaque } {
  return part.type === 'reasoning' && part.opaque?.ofPrevious === true;
}

function carrier(opaque: Opaque): ReasoningPart {
  return { type: 'reasoning', form: 'full', text: '', opaque: { ...opaque, ofPrevious: true } };
}

/** Parts added here are numbered above those of any response, so that all others keep their numbers. */
const FIRST_CARRIER_PART = 1_000_000_000;

/** detachOpaques for a stream. */
export class OpaqueCarrier {
  /** Open reasoning parts, whose opaque values stay. */
  readonly #reasoning = new Set<number>();
  /** The choices of all other open parts. */
  readonly #choices = new Map<number, number>();

  /** Returns the same array if nothing changes. */
  push(events: readonly StreamEvent[]): readonly StreamEvent[] {
    let changed: StreamEvent[] | undefined;
    for (let i = 0; i < events.length; i++) {
      const event = events[i];
      if (event === undefined) continue;
      const split = this.#split(event);
      if (split !== undefined) {
        changed ??= events.slice(0, i);
        changed.push(...split);
      } else changed?.push(event);
    }
    return changed ?? events;
  }

  #split(event: StreamEvent): readonly StreamEvent[] | undefined {
    if (event.type === 'part-start') {
      if (event.head.type === 'reasoning') this.#reasoning.add(event.part);
      else this.#choices.set(event.part, event.choice);
      return undefined;
    }
    if (event.type !== 'part-end' || this.#reasoning.delete(event.part)) return undefined;
    const { part, opaque } = event;
    const choice = this.#choices.get(part) ?? 0;
    this.#choices.delete(part);
    if (opaque === undefined) return undefined;
    const number = FIRST_CARRIER_PART + part;
    return [
      { type: 'part-end', part },
      { type: 'part-start', part: number, choice, head: { type: 'reasoning', form: 'full' } },
      { type: 'part-end', part: number, opaque: { ...opaque, ofPrevious: true } },
    ];
  }
}
