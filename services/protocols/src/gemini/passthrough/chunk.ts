import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import type { Usage } from '../../usage.ts';
import { readGeminiUsage } from '../usage.ts';

/** What is read of a whole answer, or of one chunk of a stream, which have the same shape. */
export interface ChunkFacts {
  /** What was generated, in all candidates, for counting it. */
  readonly text: string;
  /** Of the first candidate that has ended; of a prompt that was blocked, why. Empty otherwise. */
  readonly finishReason: string;
  /** Indices of the candidates that are there, and of those that have ended. */
  readonly seen: readonly number[];
  readonly ended: readonly number[];
  /** The prompt was refused, so that there is no candidate. */
  readonly isBlocked: boolean;
  readonly usage: Usage | undefined;
}

const NONE: readonly number[] = [];

/** Undefined when the value is no answer: it has neither candidates, nor usage, nor word of the prompt. */
export function readChunk(value: JsonRecord): ChunkFacts | undefined {
  const { candidates, promptFeedback, usageMetadata } = value;
  if (!Array.isArray(candidates)) {
    const isAnswer = [promptFeedback, usageMetadata, value['responseId'], value['modelVersion']].some(isSet);
    if (!isAnswer || isSet(candidates)) return undefined;
  }
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
    usage: usageMetadata === undefined ? undefined : readGeminiUsage(usageMetadata),
  };
}

/** Google leaves out an index of 0. */
export function candidateIndex(candidate: JsonRecord): number {
  const { index } = candidate;
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : 0;
}

/** Whether it says that a candidate has ended. */
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
    }
    if (part['executableCode'] !== undefined) text += stringOr(recordOr(part['executableCode'])['code']);
  }
  return text;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
