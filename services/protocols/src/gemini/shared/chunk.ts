import type { ReportedFigures, Usage } from '../../canonical/usage.ts';
import type { UsageDetails } from '../../canonical/usage-report.ts';
import { numberOf } from '../../json/lossless.ts';
import { isSet, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import type { Grounding } from './grounding.ts';
import { readDetails, readUsage, unreadableUsage } from './usage.ts';

/** The contents of a buffered response or of one chunk of a stream, which have the same shape. */
export interface ChunkFacts {
  /** The generated text of all candidates, for counting it. */
  readonly text: string;
  /** Of the first candidate that has ended, or of a blocked prompt; otherwise empty. */
  readonly finishReason: string;
  /** Indices of all candidates, and of those that have ended. */
  readonly seen: readonly number[];
  readonly ended: readonly number[];
  /** The prompt was blocked, so there is no candidate. */
  readonly isBlocked: boolean;
  readonly usage: Usage | undefined;
  /** Searches of the web that the response has reported so far. */
  readonly searches: number;
  /** The values of an invalid usage report, see unreadableFigures. */
  readonly unreadable: ReportedFigures | undefined;
  readonly details: UsageDetails | undefined;
}

/** The members in which most chunks of a stream differ. */
export const VARYING: ReadonlySet<string> = new Set([
  'text',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
  'tokenCount',
]);

const NONE: readonly number[] = [];

/**
 * Undefined when the value is not a response: it has no candidates, usage or prompt feedback.
 *
 * @param grounding of the response, which this chunk adds to
 */
export function readChunk(value: JsonRecord, grounding: Grounding): ChunkFacts | undefined {
  if (!isResponseChunk(value)) return undefined;
  const { candidates, promptFeedback, usageMetadata } = value;
  const blockReason = stringOr(recordOr(promptFeedback)['blockReason']);
  let text = '';
  let finishReason = '';
  let seen: number[] | undefined;
  let ended: number[] | undefined;
  if (Array.isArray(candidates)) {
    for (const item of candidates) {
      const candidate = recordOr(item);
      const index = candidateIndex(candidate);
      seen ??= [];
      seen.push(index);
      grounding.add(candidate);
      text += generatedText(recordOr(candidate['content']));
      const reason = candidate['finishReason'];
      if (!isFinish(reason)) continue;
      finishReason ||= reason;
      ended ??= [];
      ended.push(index);
    }
  }
  return {
    text,
    finishReason: finishReason || blockReason,
    seen: seen ?? NONE,
    ended: ended ?? NONE,
    isBlocked: blockReason !== '',
    searches: grounding.searches,
    usage:
      usageMetadata === undefined
        ? undefined
        : withSearches(readUsage(usageMetadata, grounding.isFoundFree), grounding),
    unreadable: usageMetadata === undefined ? undefined : unreadableUsage(usageMetadata),
    details: usageMetadata === undefined ? undefined : readDetails(usageMetadata),
  };
}

function withSearches(usage: Usage | undefined, { searches }: Grounding): Usage | undefined {
  return usage === undefined ? undefined : { ...usage, search: searches };
}

/** Whether it is a response or a part of one: some chunks have only usage or prompt feedback. */
export function isResponseChunk(value: JsonRecord): boolean {
  const { candidates, promptFeedback, usageMetadata, responseId, modelVersion } = value;
  if (candidates !== undefined && candidates !== null) return Array.isArray(candidates);
  return isSet(promptFeedback) || isSet(usageMetadata) || isSet(responseId) || isSet(modelVersion);
}

/** Maximum length of `[DONE]` with white space. */
const MAX_DONE_BYTES = 16;

/** Whether it is the `[DONE]` that some compatible upstreams send. */
export function isDone(data: Buffer): boolean {
  return data.length <= MAX_DONE_BYTES && data.toString('latin1').trim() === '[DONE]';
}

/** Google omits an index of 0. */
export function candidateIndex(candidate: JsonRecord): number {
  const index = numberOf(candidate['index']);
  return index !== undefined && Number.isSafeInteger(index) && index >= 0 ? index : 0;
}

/** Whether a finish reason means that a candidate has ended. */
export function isFinish(reason: unknown): reason is string {
  return typeof reason === 'string' && reason !== '' && reason !== 'FINISH_REASON_UNSPECIFIED';
}

function generatedText(content: JsonRecord): string {
  const { parts } = content;
  if (!Array.isArray(parts)) return '';
  let text = '';
  for (const item of parts) {
    const part = recordOr(item);
    if (typeof part['text'] === 'string') text += part['text'];
    if (part['functionCall'] !== undefined) {
      const call = recordOr(part['functionCall']);
      text += stringOr(call['name']) + (call['args'] === undefined ? '' : JSON.stringify(call['args']));
      if (call['partialArgs'] !== undefined) text += JSON.stringify(call['partialArgs']);
    }
    if (part['executableCode'] !== undefined) text += stringOr(recordOr(part['executableCode'])['code']);
  }
  return text;
}
