import type { TokenLogprob } from '../../canonical/response.ts';
import { type JsonRecord, stringOr } from '../../json/record.ts';
import { decodeCitation, decodeCitations } from '../shared/citations.ts';
import { decodeLogprobs } from '../shared/logprobs.ts';
import type { PartSequence } from './part-sequence.ts';

type ContentType = 'text' | 'refusal';

/** The last part of a message so far, the only one that can grow. */
interface LastPart {
  readonly key: string;
  readonly type: ContentType;
  /** How many parts the message has, with this one. */
  readonly count: number;
  /** Characters of the parts before. */
  readonly before: number;
  /** `complete` once its whole text came: only log probabilities and citations may follow. */
  state: 'growing' | 'complete' | 'closed';
}

/**
 * Decodes the content of messages. Some upstreams count `content_index` across items or by event, so it is not read: the
 * parts of a message come one after the other, and the last events repeat their text.
 */
export class MessageDecoder {
  readonly #parts: PartSequence;
  readonly #lastParts = new Map<string, LastPart>();
  /** Texts whose citations came one by one, so that those in their last event are ignored. */
  readonly #cited = new Set<string>();
  /** Tokens of each text whose log probabilities have come. */
  readonly #logprobCounts = new Map<string, number>();

  constructor(parts: PartSequence) {
    this.#parts = parts;
  }

  /** Reads more of a part. */
  grow(item: string, type: ContentType, event: JsonRecord): void {
    const { key } = this.#growingPart(item, type);
    this.#parts.grow(key, stringOr(event['delta']));
    this.#addTokens(key, decodeLogprobs(event['logprobs']));
  }

  /** Reads the whole text of a part. */
  completePart(item: string, type: ContentType, event: JsonRecord): void {
    const text = stringOr(event[type]);
    if (text === '' && this.#lastParts.get(item)?.state !== 'growing') return;
    const part = this.#growingPart(item, type);
    this.#parts.grow(part.key, text.slice(this.#parts.lengthOf(part.key)));
    this.#weigh(part.key, event['logprobs']);
    part.state = 'complete';
  }

  cite(item: string, annotation: unknown): void {
    const part = this.#lastParts.get(item);
    const citation = decodeCitation(annotation);
    if (part === undefined) return;
    this.#cited.add(part.key);
    if (citation !== undefined) this.#parts.cite(part.key, citation);
  }

  /** Reads a whole part, which ends. */
  endPart(item: string, content: JsonRecord): void {
    const type = typeOf(content);
    if (type === undefined) return;
    if (this.#lastParts.get(item)?.state !== 'complete') this.completePart(item, type, content);
    this.#addDetails(item, content);
    this.closePart(item);
  }

  closePart(item: string): void {
    const part = this.#lastParts.get(item);
    if (part === undefined) return;
    this.#parts.close(part.key);
    part.state = 'closed';
  }

  /** Reads a whole message, which ends. What came of its text is skipped, wherever its parts began. */
  endMessage(item: string, contents: readonly JsonRecord[]): void {
    let said = this.#lengthOf(item);
    for (const content of contents) {
      const type = typeOf(content);
      if (type === undefined) continue;
      const text = stringOr(content[type]);
      if (text.length > said) {
        if (said === 0) this.closePart(item);
        this.#parts.grow(this.#growingPart(item, type).key, text.slice(said));
      }
      said = Math.max(0, said - text.length);
      if (said === 0) this.#addDetails(item, content);
    }
    this.closePart(item);
  }

  /** The part that more text of this type belongs to: the last one, or a new one. */
  #growingPart(item: string, type: ContentType): LastPart {
    const last = this.#lastParts.get(item);
    if (last?.state === 'growing' && last.type === type) return last;
    this.closePart(item);
    const count = (last?.count ?? 0) + 1;
    const key = `${item}:${count}`;
    const part: LastPart = { key, type, count, before: this.#lengthOf(item), state: 'growing' };
    this.#lastParts.set(item, part);
    this.#parts.open(key, { type });
    return part;
  }

  /** Characters of all parts of a message. */
  #lengthOf(item: string): number {
    const last = this.#lastParts.get(item);
    return last === undefined ? 0 : last.before + this.#parts.lengthOf(last.key);
  }

  /** Adds the log probabilities and citations of the last part that have not come yet. */
  #addDetails(item: string, content: JsonRecord): void {
    const part = this.#lastParts.get(item);
    if (part === undefined || part.type !== typeOf(content)) return;
    this.#weigh(part.key, content['logprobs']);
    if (this.#cited.has(part.key)) return;
    for (const citation of decodeCitations(content['annotations'])) this.#parts.cite(part.key, citation);
  }

  #weigh(key: string, logprobs: unknown): void {
    this.#addTokens(key, decodeLogprobs(logprobs).slice(this.#logprobCounts.get(key) ?? 0));
  }

  #addTokens(key: string, tokens: readonly TokenLogprob[]): void {
    if (tokens.length === 0) return;
    this.#logprobCounts.set(key, (this.#logprobCounts.get(key) ?? 0) + tokens.length);
    this.#parts.add({ type: 'logprobs', choice: 0, tokens });
  }
}

/** The type of a content part, which is also the name of the member with its text. */
function typeOf(content: JsonRecord): ContentType | undefined {
  if (content['type'] === 'output_text') return 'text';
  return content['type'] === 'refusal' ? 'refusal' : undefined;
}
