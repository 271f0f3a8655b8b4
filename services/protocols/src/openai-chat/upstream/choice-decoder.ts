import type { Opaque } from '../../canonical/opaque.ts';
import type { PartHead, StreamEvent } from '../../canonical/stream.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { isEmptyCall, readCalled } from '../shared/called.ts';
import { decodeCitations } from '../shared/citations.ts';
import { decodeFinish } from '../shared/finish-reason.ts';
import { decodeLogprobs } from '../shared/logprobs.ts';
import { decodeOutputImages } from '../shared/media.ts';
import {
  decodeCallSignature,
  decodeDetails,
  type ReasoningDetail,
  reasoningText,
  thinkingText,
} from '../shared/reasoning.ts';
import { type CallFacts, PartDecoder } from './part-decoder.ts';

/** Shared by all choices: part numbers, and ids for calls without one. */
export interface Numbering {
  readonly nextPart: () => number;
  readonly newId: () => string;
}

const TEXT: PartHead = { type: 'text' };
const REFUSAL: PartHead = { type: 'refusal' };
const FULL: PartHead = { type: 'reasoning', form: 'full' };
const SUMMARY: PartHead = { type: 'reasoning', form: 'summary' };

/**
 * Puts the deltas of one choice in order. Upstreams may send several tool calls in turns, and text between them; here
 * one part is open at a time. The first part is sent as it arrives; the others wait until its call is a complete JSON
 * object, or the choice ends.
 */
export class ChoiceDecoder {
  readonly #index: number;
  readonly #numbering: Numbering;
  /** The first one is open, or opens next. */
  readonly #parts: PartDecoder[] = [];
  /** Calls that are closed. */
  readonly #closed: CallFacts[] = [];
  #hasCalls = false;
  #hasRefusal = false;
  /** Whether reasoning comes only in the plain field. */
  #hasPlainText = false;
  #finishReason = '';

  constructor(index: number, numbering: Numbering) {
    this.#index = index;
    this.#numbering = numbering;
  }

  get hasEnded(): boolean {
    return this.#finishReason !== '';
  }

  /**
   * Takes the choice's data of a chunk.
   *
   * @returns the problem, if there is one
   */
  take(choice: JsonRecord, out: StreamEvent[]): string | undefined {
    const delta = recordOr(choice['delta'] ?? choice['message']);
    this.#takeReasoning(delta, out);
    this.#takeText(delta, out);
    const problem = this.#takeCalls(delta, out);
    if (problem !== undefined) return problem;
    this.#advance(out);
    const tokens = decodeLogprobs(choice['logprobs']);
    if (tokens !== undefined) out.push({ type: 'logprobs', choice: this.#index, tokens });
    this.#finishReason ||= stringOr(choice['finish_reason']);
    return undefined;
  }

  /** The choice is over. */
  finish(out: StreamEvent[]): void {
    this.#closeAll(out);
    const finish = decodeFinish(this.#finishReason, { calls: this.#hasCalls, refusal: this.#hasRefusal });
    out.push({ type: 'finish', choice: this.#index, finish });
  }

  /** Details with text repeat the plain field, in the same chunk or in earlier ones. */
  #takeReasoning(delta: JsonRecord, out: StreamEvent[]): void {
    const details = decodeDetails(delta['reasoning_details']);
    const text = reasoningText(delta);
    const isDetailed = details.some((detail) => detail.text !== '');
    const isRepeated = isDetailed && text === '' && this.#hasPlainText;
    if (text !== '') {
      this.#hasPlainText = !isDetailed;
      if (!isDetailed) this.#thought('full', text);
    }
    for (const detail of details) this.#takeDetail(isRepeated ? { ...detail, text: '' } : detail, out);
  }

  #takeDetail({ form, text, opaque, index }: ReasoningDetail, out: StreamEvent[]): void {
    if (form === 'opaque') {
      if (opaque !== undefined) this.#takeSignature(opaque, out);
      return;
    }
    const part = this.#thought(form, text, index);
    if (opaque !== undefined) part.opaque = opaque;
  }

  /** Reasoning with only a signature. */
  #takeSignature(opaque: Opaque, out: StreamEvent[]): void {
    const part = new PartDecoder('opaque', FULL, undefined);
    part.opaque = opaque;
    this.#parts.push(part);
    this.#advance(out);
  }

  #thought(form: 'full' | 'summary', text: string, index?: number): PartDecoder {
    const key = index === undefined ? form : `${form} ${index}`;
    const last = this.#parts.at(-1);
    const isSame = last !== undefined && last.opaque === undefined && (last.key === key || last.key === form);
    const part = isSame ? last : this.#add(key, form === 'full' ? FULL : SUMMARY);
    part.add(text);
    return part;
  }

  #takeText(delta: JsonRecord, out: StreamEvent[]): void {
    const { content, refusal, annotations } = delta;
    if (typeof content === 'string' && content !== '') this.#lastOf('text', TEXT).add(content);
    else if (Array.isArray(content)) {
      for (const part of content) this.#takePart(recordOr(part));
    }
    const { transcript } = recordOr(delta['audio']);
    if (typeof transcript === 'string' && transcript !== '') this.#lastOf('text', TEXT).add(transcript);
    if (typeof refusal === 'string' && refusal !== '') {
      this.#hasRefusal = true;
      this.#lastOf('refusal', REFUSAL).add(refusal);
    }
    if (annotations !== undefined) {
      const citations = decodeCitations(annotations);
      if (citations.length > 0) this.#lastOf('text', TEXT).cite(citations);
    }
    const images = decodeOutputImages(delta['images']);
    if (images.length === 0) return;
    this.#closeAll(out);
    for (const content of images) {
      out.push({ type: 'media', part: this.#numbering.nextPart(), choice: this.#index, content });
    }
  }

  /** A part of content that is a list, as Mistral's models send it once they think. */
  #takePart(part: JsonRecord): void {
    const thought = part['type'] === 'thinking' ? thinkingText(part) : '';
    if (thought !== '') this.#thought('full', thought);
    const text = stringOr(part['text']);
    if (text !== '') this.#lastOf('text', TEXT).add(text);
  }

  #lastOf(key: string, head: PartHead): PartDecoder {
    const last = this.#parts.at(-1);
    return last?.key === key && last.opaque === undefined ? last : this.#add(key, head);
  }

  #add(key: string, head: PartHead | undefined, call?: CallFacts): PartDecoder {
    const part = new PartDecoder(key, head, call);
    this.#parts.push(part);
    return part;
  }

  #takeCalls(delta: JsonRecord, out: StreamEvent[]): string | undefined {
    const { tool_calls: calls, function_call: single } = delta;
    if (isRecord(single)) {
      const problem = this.#takeCall({ index: 0, function: single }, out);
      if (problem !== undefined) return problem;
    }
    if (!Array.isArray(calls)) return undefined;
    for (const call of calls) {
      const problem = this.#takeCall(recordOr(call), out);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #takeCall(call: JsonRecord, out: StreamEvent[]): string | undefined {
    const piece = readPiece(call);
    const known = this.#parts.findLast((part) => part.call !== undefined && isMeant(part.call, piece));
    const part = known === undefined || isNext(known, piece) ? undefined : known;
    if (part === undefined && isEmptyCall(piece) && piece.id === '') return undefined;
    this.#hasCalls = true;
    if (part === undefined) {
      const closed = known === undefined ? this.#closed.findLast((facts) => isMeant(facts, piece)) : undefined;
      if (closed !== undefined && !isAnother(closed, piece)) {
        return piece.input.trim() === '' ? undefined : 'a tool call goes on after it had ended';
      }
      const { index, id, name, kind } = piece;
      this.#fill(this.#add('call', undefined, { index, id, name, kind }), call, piece.input);
      this.#advance(out);
      return undefined;
    }
    const { call: facts } = part;
    if (facts !== undefined) {
      facts.id ||= piece.id;
      facts.name ||= piece.name;
      if (piece.kind === 'custom') facts.kind = 'custom';
    }
    this.#fill(part, call, piece.input);
    return undefined;
  }

  #fill(part: PartDecoder, call: JsonRecord, input: string): void {
    part.add(input);
    part.opaque ??= decodeCallSignature(call).opaque;
  }

  /** Closes finished parts at the front, and sends what is there of the next part. */
  #advance(out: StreamEvent[]): void {
    const { nextPart, newId } = this.#numbering;
    while (this.#parts.length > 1) {
      const [first] = this.#parts;
      if (first === undefined || (first.call !== undefined && !first.isCompleteCall())) break;
      this.#close(first, out);
    }
    this.#parts[0]?.emit(this.#index, nextPart, newId, out);
  }

  #closeAll(out: StreamEvent[]): void {
    for (const part of [...this.#parts]) this.#close(part, out);
  }

  /** The part must be the first. */
  #close(part: PartDecoder, out: StreamEvent[]): void {
    part.close(this.#index, this.#numbering.nextPart, this.#numbering.newId, out);
    if (part.call !== undefined) this.#closed.push(part.call);
    this.#parts.shift();
  }
}

interface Piece extends CallFacts {
  readonly input: string;
}

function readPiece(call: JsonRecord): Piece {
  const { index } = call;
  const { kind, name, input } = readCalled(call);
  return {
    index: typeof index === 'number' ? index : undefined,
    id: stringOr(call['id']).toWellFormed(),
    name: name.toWellFormed(),
    kind,
    input,
  };
}

/** Whether a piece has the number of that call, or its id where there are no numbers. One with neither is of the last call. */
function isMeant(facts: CallFacts, piece: Piece): boolean {
  if (piece.index !== undefined && facts.index !== undefined) return piece.index === facts.index;
  return piece.id === '' || facts.id === '' || piece.id === facts.id;
}

/** Some upstreams number every call 0: another id with another name, or a second name, begins another call. */
function isAnother(facts: CallFacts, piece: Piece): boolean {
  if (piece.name === '') return false;
  if (piece.id !== '' && facts.id !== '') return piece.id !== facts.id;
  return piece.input !== '' || piece.name !== facts.name;
}

function isNext(part: PartDecoder, piece: Piece): boolean {
  const { call } = part;
  if (call === undefined || call.name === '' || !isAnother(call, piece)) return false;
  const hasNewId = piece.id !== '' && call.id !== '' && piece.id !== call.id;
  return hasNewId || part.isCompleteCall();
}
