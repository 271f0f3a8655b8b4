import type { Opaque } from '../../canonical/opaque.ts';
import type { Citation } from '../../canonical/part.ts';
import type { PartHead, StreamEvent } from '../../canonical/stream.ts';
import { Queue } from '../../lists/queue.ts';
import { append } from '../../lists/stages.ts';

interface Part {
  readonly number: number;
  readonly type: PartHead['type'] | 'media';
  /** Its events so far, kept back while another part is open. */
  readonly waiting: StreamEvent[];
  /** The first half of a surrogate pair whose second half comes with the next delta. */
  half: string;
  /** Characters so far. */
  length: number;
  isClosed: boolean;
}

/**
 * Puts the parts of a response in order: at most one is open at any time, as the canonical stream requires; events of
 * other parts wait until it has closed. Parts are identified by keys.
 */
export class PartSequence {
  readonly #parts = new Map<string, Part>();
  /** Open parts. The first one is being sent. */
  readonly #queue = new Queue<Part>();
  #events: StreamEvent[] = [];
  #count = 0;

  /** Whether there was a part yet. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Whether a refusal was opened. */
  get hasRefusal(): boolean {
    for (const part of this.#parts.values()) if (part.type === 'refusal') return true;
    return false;
  }

  has(key: string): boolean {
    return this.#parts.has(key);
  }

  /** The number of characters of a part. */
  lengthOf(key: string): number {
    return this.#parts.get(key)?.length ?? 0;
  }

  /** An event that belongs to no part. */
  add(event: StreamEvent): void {
    this.#events.push(event);
  }

  open(key: string, head: PartHead): void {
    if (this.#parts.has(key)) return;
    const part: Part = { number: this.#count++, type: head.type, waiting: [], half: '', length: 0, isClosed: false };
    this.#parts.set(key, part);
    this.#queue.push(part);
    this.#say(part, { type: 'part-start', part: part.number, choice: 0, head });
  }

  grow(key: string, delta: string): void {
    const part = this.#parts.get(key);
    if (part === undefined || part.isClosed || delta === '') return;
    part.length += delta.length;
    let text = part.half + delta;
    part.half = '';
    if (isHighSurrogate(text.charCodeAt(text.length - 1))) {
      part.half = text.slice(-1);
      text = text.slice(0, -1);
    }
    if (text !== '') this.#say(part, { type: 'part-delta', part: part.number, text: text.toWellFormed() });
  }

  cite(key: string, citation: Citation): void {
    const part = this.#parts.get(key);
    if (part?.type !== 'text' || part.isClosed) return;
    this.#say(part, { type: 'part-citation', part: part.number, citation });
  }

  close(key: string, opaque?: Opaque): void {
    const part = this.#parts.get(key);
    if (part === undefined || part.isClosed) return;
    if (part.half !== '') this.#say(part, { type: 'part-delta', part: part.number, text: part.half.toWellFormed() });
    const end: StreamEvent = { type: 'part-end', part: part.number };
    this.#say(part, opaque === undefined ? end : { ...end, opaque });
    part.isClosed = true;
    this.#advance();
  }

  /** Adds a complete part. */
  addWhole(event: (part: number) => StreamEvent): void {
    const part: Part = { number: this.#count++, type: 'media', waiting: [], half: '', length: 0, isClosed: true };
    this.#queue.push(part);
    this.#say(part, event(part.number));
    this.#advance();
  }

  closeAll(): void {
    for (const key of this.#parts.keys()) this.close(key);
  }

  /** Returns the events since the last call. */
  take(): readonly StreamEvent[] {
    if (this.#events.length === 0) return NO_EVENTS;
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #say(part: Part, event: StreamEvent): void {
    if (this.#queue.first === part) this.#events.push(event);
    else part.waiting.push(event);
  }

  /** Sends what the next parts held back, up to one that is still open. */
  #advance(): void {
    while (this.#queue.first?.isClosed === true) {
      this.#queue.dropFirst();
      const next = this.#queue.first;
      if (next === undefined) return;
      append(this.#events, next.waiting);
      next.waiting.length = 0;
    }
  }
}

const NO_EVENTS: readonly StreamEvent[] = [];

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
