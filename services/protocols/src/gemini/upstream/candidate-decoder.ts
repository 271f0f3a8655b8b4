import type { Opaque } from '../../canonical/opaque.ts';
import type { TokenLogprob } from '../../canonical/response.ts';
import type { StreamEvent } from '../../canonical/stream.ts';
import { inputText } from '../../canonical/tool-call.ts';
import type { DecodeContext } from '../../interface/protocol.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { decodeCitations } from '../shared/citations.ts';
import { decodeFinishReason } from '../shared/finish-reason.ts';
import { decodeLogprobs } from '../shared/logprobs.ts';
import { decodeBlob } from '../shared/media.ts';
import { PartialArgs } from '../shared/partial-args.ts';
import { decodeSignature } from '../shared/signature.ts';

/** Numbers the parts of a response. */
export interface PartNumbers {
  next: number;
}

/** A call whose arguments come in pieces. */
interface OpenCall {
  readonly part: number;
  readonly args: PartialArgs;
  /** Of a later piece; the first one's is sent when the part opens. */
  opaque: Opaque | undefined;
}

interface OpenPart {
  readonly part: number;
  readonly isThought: boolean;
  /** Its text so far, for counting the ranges of citations. */
  text: string;
}

/**
 * Decodes one candidate from the chunks of a stream. Google does not mark where a part begins and ends: neighbours of the
 * same kind are one part, which a signature closes.
 */
export class CandidateDecoder {
  readonly #choice: number;
  readonly #numbers: PartNumbers;
  readonly #context: DecodeContext;
  readonly #cited = new Set<string>();
  #open: OpenPart | undefined;
  #openCall: OpenCall | undefined;
  #hasCalls = false;
  #finish = '';
  /** Of the current chunk, not sent yet. */
  #logprobs: TokenLogprob[] = [];

  constructor(choice: number, numbers: PartNumbers, context: DecodeContext) {
    this.#choice = choice;
    this.#numbers = numbers;
    this.#context = context;
  }

  get isFinished(): boolean {
    return this.#finish !== '';
  }

  /** @returns the problem, if there is one */
  push(candidate: JsonRecord, finish: string, out: StreamEvent[]): string | undefined {
    const { parts } = recordOr(candidate['content']);
    const records = Array.isArray(parts) ? parts.filter(isRecord) : [];
    this.#logprobs = decodeLogprobs(candidate);
    if (this.#open?.isThought === false && !records.some(isText)) this.#addLogprobs(out);
    for (const part of records) {
      const problem = this.#part(part, out);
      if (problem !== undefined) return problem;
    }
    this.#addLogprobs(out);
    this.#cite(candidate, out);
    this.#finish ||= finish;
    return undefined;
  }

  /** Ends the candidate. Nothing follows. */
  end(out: StreamEvent[]): void {
    this.#close(undefined, out);
    const raw = this.#finish;
    out.push({
      type: 'finish',
      choice: this.#choice,
      finish: { reason: decodeFinishReason(raw, this.#hasCalls), raw },
    });
  }

  #part(part: JsonRecord, out: StreamEvent[]): string | undefined {
    const { text, functionCall, inlineData, thoughtSignature } = part;
    const { opaque } = decodeSignature(stringOr(thoughtSignature));
    if (isRecord(functionCall)) return this.#call(functionCall, opaque, out);
    if (isRecord(inlineData)) this.#media(inlineData, out);
    else this.#say(stringOr(text), part['thought'] === true, opaque, out);
    return undefined;
  }

  #say(text: string, isThought: boolean, opaque: Opaque | undefined, out: StreamEvent[]): void {
    let open = this.#open;
    if (open === undefined || open.isThought !== isThought) {
      if (text === '' && opaque === undefined) return;
      this.#close(undefined, out);
      open = { part: this.#numbers.next++, isThought, text: '' };
      this.#open = open;
      const head = isThought ? ({ type: 'reasoning', form: 'summary' } as const) : ({ type: 'text' } as const);
      out.push({ type: 'part-start', part: open.part, choice: this.#choice, head });
    }
    if (text !== '') {
      open.text += text;
      out.push({ type: 'part-delta', part: open.part, text });
    }
    if (!isThought) this.#addLogprobs(out);
    if (opaque !== undefined) this.#close(opaque, out);
  }

  /** A call, or a piece of one: the first piece has the name, and the last one does not say that it will continue. */
  #call(call: JsonRecord, opaque: Opaque | undefined, out: StreamEvent[]): string | undefined {
    const name = stringOr(call['name']);
    const isPiece = call['willContinue'] === true || call['partialArgs'] !== undefined;
    if (name !== '' && !isPiece) {
      this.#wholeCall(call, opaque, out);
      return undefined;
    }
    if (name !== '') this.#beginCall(call, opaque, out);
    const open = this.#openCall;
    if (open === undefined) {
      if (isPiece) return 'a streamed call has no name';
      // The end of a call that has ended.
      if (call['args'] !== undefined) this.#wholeCall(call, opaque, out);
      return undefined;
    }
    if (name === '') open.opaque ??= opaque;
    const problem = open.args.add(call['partialArgs']);
    if (problem !== undefined) return problem;
    if (call['willContinue'] !== true) this.#close(undefined, out);
    return undefined;
  }

  #beginCall(call: JsonRecord, opaque: Opaque | undefined, out: StreamEvent[]): void {
    this.#openCall = { part: this.#startCall(call, opaque, out), args: new PartialArgs(), opaque: undefined };
  }

  #wholeCall(call: JsonRecord, opaque: Opaque | undefined, out: StreamEvent[]): void {
    const part = this.#startCall(call, opaque, out);
    out.push({ type: 'part-delta', part, text: inputText(recordOr(call['args'])) }, { type: 'part-end', part });
  }

  #startCall(call: JsonRecord, opaque: Opaque | undefined, out: StreamEvent[]): number {
    this.#close(undefined, out);
    this.#hasCalls = true;
    const part = this.#numbers.next++;
    const id = stringOr(call['id']) || `call_${this.#context.newId()}`;
    const head = { type: 'tool-call', id, name: stringOr(call['name']), kind: 'function' } as const;
    out.push({ type: 'part-start', part, choice: this.#choice, head, ...(opaque !== undefined && { opaque }) });
    return part;
  }

  #media(blob: JsonRecord, out: StreamEvent[]): void {
    const { mimeType, data } = blob;
    if (typeof mimeType !== 'string' || typeof data !== 'string') return;
    const content = decodeBlob(mimeType, data, undefined);
    if (content.type === 'file') return;
    this.#close(undefined, out);
    out.push({ type: 'media', part: this.#numbers.next++, choice: this.#choice, content });
  }

  /** Google has them beside the parts. They belong to the text, and are sent while it is open. */
  #addLogprobs(out: StreamEvent[]): void {
    if (this.#logprobs.length === 0) return;
    out.push({ type: 'logprobs', choice: this.#choice, tokens: this.#logprobs });
    this.#logprobs = [];
  }

  /** Sources come at the end, some of them more than once. */
  #cite(candidate: JsonRecord, out: StreamEvent[]): void {
    const open = this.#open;
    if (open === undefined || open.isThought) return;
    for (const citation of decodeCitations(candidate, open.text)) {
      const key = JSON.stringify(citation);
      if (this.#cited.has(key)) continue;
      this.#cited.add(key);
      out.push({ type: 'part-citation', part: open.part, citation });
    }
  }

  #closeCall(out: StreamEvent[]): void {
    const call = this.#openCall;
    if (call === undefined) return;
    this.#openCall = undefined;
    const { part, args, opaque } = call;
    out.push({ type: 'part-delta', part, text: inputText(args.args) });
    out.push({ type: 'part-end', part, ...(opaque !== undefined && { opaque }) });
  }

  #close(opaque: Opaque | undefined, out: StreamEvent[]): void {
    this.#closeCall(out);
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    out.push({ type: 'part-end', part: open.part, ...(opaque !== undefined && { opaque }) });
  }
}

function isText(part: JsonRecord): boolean {
  return typeof part['text'] === 'string' && part['thought'] !== true;
}
