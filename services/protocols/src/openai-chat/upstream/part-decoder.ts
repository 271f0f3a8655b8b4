import type { Opaque } from '../../canonical/opaque.ts';
import type { Citation } from '../../canonical/part.ts';
import type { PartHead, StreamEvent } from '../../canonical/stream.ts';
import { parseJson } from '../../json/record.ts';
import { append } from '../../lists/stages.ts';

/** A tool call, as far as its pieces have arrived. */
export interface CallFacts {
  /** The upstream's number of the call; undefined if it has none. */
  readonly index: number | undefined;
  /** As the upstream gave it; empty when it did not. */
  id: string;
  name: string;
  kind: 'function' | 'custom';
}

/**
 * One part of a streamed response. Its events are sent while it is the first part; before that they are kept.
 */
export class PartDecoder {
  readonly call: CallFacts | undefined;
  /** Distinguishes texts, refusals and kinds of reasoning. */
  readonly key: string;
  opaque: Opaque | undefined;
  /** All of a call's input. */
  input = '';
  readonly #head: PartHead | undefined;
  readonly #characters = new CompleteCharacters();
  #kept = '';
  #citations: Citation[] = [];
  #number = -1;
  /** Whether the part opened with its opaque value. */
  #isSigned = false;

  /** @param head undefined for a call, whose name may come late */
  constructor(key: string, head: PartHead | undefined, call: CallFacts | undefined) {
    this.key = key;
    this.#head = head;
    this.call = call;
  }

  /** Adds a piece of its text or input. */
  add(piece: string): void {
    const text = this.#characters.push(piece);
    this.#kept += text;
    if (this.call !== undefined) this.input += text;
  }

  cite(citations: readonly Citation[]): void {
    append(this.#citations, citations);
  }

  /** Sends what is there, opening the part first. A call without a name waits for it. */
  emit(choice: number, nextNumber: () => number, newId: () => string, out: StreamEvent[]): void {
    if (this.#number === -1) {
      if (this.call?.name === '') return;
      this.#open(choice, nextNumber, newId, out);
    }
    const part = this.#number;
    if (this.#kept !== '') out.push({ type: 'part-delta', part, text: this.#kept });
    this.#kept = '';
    if (this.#citations.length === 0) return;
    for (const citation of this.#citations) out.push({ type: 'part-citation', part, citation });
    this.#citations = [];
  }

  /** Sends everything that is left, and closes the part. */
  close(choice: number, nextNumber: () => number, newId: () => string, out: StreamEvent[]): void {
    this.#kept += this.#characters.end();
    if (this.#number === -1) this.#open(choice, nextNumber, newId, out);
    this.emit(choice, nextNumber, newId, out);
    const { opaque } = this;
    const part = this.#number;
    out.push(opaque === undefined || this.#isSigned ? { type: 'part-end', part } : { type: 'part-end', part, opaque });
  }

  /** Whether the part is a call whose input is a complete JSON value, so that nothing can follow. */
  isCompleteCall(): boolean {
    if (this.call?.kind !== 'function') return false;
    const { input } = this;
    return input.trimEnd().endsWith('}') && parseJson(input) !== undefined;
  }

  #open(choice: number, nextNumber: () => number, newId: () => string, out: StreamEvent[]): void {
    this.#number = nextNumber();
    const head = this.#head ?? this.#headOfCall(newId);
    const { opaque } = this;
    this.#isSigned = opaque !== undefined && head.type === 'tool-call';
    const signature = this.#isSigned && opaque !== undefined ? { opaque } : {};
    out.push({ type: 'part-start', part: this.#number, choice, head, ...signature });
  }

  #headOfCall(newId: () => string): PartHead {
    const { id = '', name = '', kind = 'function' } = this.call ?? {};
    return { type: 'tool-call', id: id === '' ? `call_${newId()}` : id, name, kind };
  }
}

/**
 * Joins characters that were split between pieces: with JSON escapes an upstream can end one piece with the first half
 * of a surrogate pair, and begin the next with the other.
 */
export class CompleteCharacters {
  #half = '';

  /** The complete characters up to the end of this piece. */
  push(piece: string): string {
    let text = this.#half === '' ? piece : this.#half + piece;
    this.#half = '';
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    return text.isWellFormed() ? text : text.toWellFormed();
  }

  /** What is left at the end of the text. */
  end(): string {
    const left = this.#half;
    this.#half = '';
    return left.toWellFormed();
  }
}
