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
import { decodeSignature } from '../shared/signature.ts';

/** Numbers the parts of a response. */
export interface PartNumbers {
  next: number;
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

  push(candidate: JsonRecord, finish: string, out: StreamEvent[]): void {
    const { parts } = recordOr(candidate['content']);
    const records = Array.isArray(parts) ? parts.filter(isRecord) : [];
    this.#logprobs = decodeLogprobs(candidate);
    if (this.#open?.isThought === false && !records.some(isText)) this.#addLogprobs(out);
    for (const part of records) this.#part(part, out);
    this.#addLogprobs(out);
    this.#cite(candidate, out);
    this.#finish ||= finish;
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

  #part(part: JsonRecord, out: StreamEvent[]): void {
    const { text, functionCall, inlineData, thoughtSignature } = part;
    const { opaque } = decodeSignature(stringOr(thoughtSignature));
    if (isRecord(functionCall)) this.#call(functionCall, opaque, out);
    else if (isRecord(inlineData)) this.#media(inlineData, out);
    else this.#say(stringOr(text), part['thought'] === true, opaque, out);
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

  #call(call: JsonRecord, opaque: Opaque | undefined, out: StreamEvent[]): void {
    this.#close(undefined, out);
    this.#hasCalls = true;
    const part = this.#numbers.next++;
    const id = stringOr(call['id']) || `call_${this.#context.newId()}`;
    const head = { type: 'tool-call', id, name: stringOr(call['name']), kind: 'function' } as const;
    out.push(
      { type: 'part-start', part, choice: this.#choice, head, ...(opaque !== undefined && { opaque }) },
      { type: 'part-delta', part, text: inputText(recordOr(call['args'])) },
      { type: 'part-end', part },
    );
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

  #close(opaque: Opaque | undefined, out: StreamEvent[]): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    out.push({ type: 'part-end', part: open.part, ...(opaque !== undefined && { opaque }) });
  }
}

function isText(part: JsonRecord): boolean {
  return typeof part['text'] === 'string' && part['thought'] !== true;
}
