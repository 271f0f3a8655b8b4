import { describeError, type UpstreamError } from '../../interface/errors.ts';
import { isRecord, isSet, type JsonRecord, nonNegativeInteger, recordOr } from '../../json/record.ts';
import type { SseEvent } from '../../sse/event.ts';
import { EventJson } from '../../sse/event-json.ts';

/** What one event of an upstream's stream is. */
export type ChunkResult =
  | {
      readonly kind: 'chunk';
      readonly chunk: JsonRecord;
      readonly choices: readonly unknown[];
      /** The extra chunk at the end, with the usage and no choices. */
      readonly isUsageOnly: boolean;
    }
  | { readonly kind: 'error'; readonly error: UpstreamError }
  /** `[DONE]`. */
  | { readonly kind: 'done' }
  /** Nothing to pass on as content, such as a comment. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'malformed' };

const DONE = Buffer.from('[DONE]');
const MAX_DONE_BYTES = 16;
const NO_CHOICES: readonly unknown[] = [];

const READ_DONE: ChunkResult = { kind: 'done' };
const SILENT: ChunkResult = { kind: 'silent' };
const MALFORMED: ChunkResult = { kind: 'malformed' };

/** The problem of a malformed event. */
export const NOT_A_CHUNK = 'a stream event is not a chat completion chunk';
/** The problem of a stream that ends while choices are open. */
export const ENDED_EARLY = 'the stream ended before the response was complete';

/** The members in which most chunks of a stream differ. */
const VARYING = new Set(['content', 'arguments', 'reasoning', 'reasoning_content', 'text', 'obfuscation', 'created']);

/** Reads the events of an upstream's stream. */
export class ChunkReader {
  readonly #json = new EventJson(VARYING);
  #value: JsonRecord | undefined;
  #type = '';
  #read: ChunkResult = SILENT;

  /** Returns the same object for a chunk that differs from the one before only in the varying members. */
  read(event: SseEvent): ChunkResult {
    const { data } = event;
    if (data === undefined || data.length === 0) return SILENT;
    if (data.length <= MAX_DONE_BYTES && isDone(data)) return READ_DONE;
    const value = this.#json.parse(data);
    if (!isRecord(value)) return MALFORMED;
    if (value !== this.#value || event.type !== this.#type) {
      this.#value = value;
      this.#type = event.type;
      this.#read = resultOf(value, event.type);
    }
    return this.#read;
  }
}

function resultOf(chunk: JsonRecord, type: string): ChunkResult {
  const { error, usage } = chunk;
  if (isSet(error) || type === 'error') return { kind: 'error', error: describeError(chunk) };
  const broken = choiceError(chunk['choices']);
  if (broken !== undefined) return { kind: 'error', error: broken };
  const choices = chunk['choices'] ?? (isRecord(usage) ? NO_CHOICES : undefined);
  if (!Array.isArray(choices)) return MALFORMED;
  const isUsageOnly = choices.length === 0 && isRecord(usage) && !isSet(chunk['moderation']);
  return { kind: 'chunk', chunk, choices, isUsageOnly };
}

/** The error of a choice, which OpenRouter reports for a provider that failed midway; undefined if there is none. */
export function choiceError(choices: unknown): UpstreamError | undefined {
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices) {
    const { error } = recordOr(choice);
    if (isRecord(error)) return describeError({ error });
  }
  return undefined;
}

/** The number of a choice; without one, its position in the list. */
export function choiceIndex(choice: JsonRecord, place: number): number {
  return nonNegativeInteger(choice['index']) ?? place;
}

function isDone(data: Buffer): boolean {
  return data.equals(DONE) || data.toString('latin1').trim() === '[DONE]';
}
