import { append } from '../../append.ts';
import type { CanonicalResponse, Choice } from '../../canonical/response.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { AnswerContext, FinalUsage } from '../../protocol.ts';
import { writeCitations } from '../shared/citations.ts';
import { answerPart } from '../shared/encode-contents.ts';
import { geminiFinishReason } from '../shared/finish-reason.ts';
import { writeLogprobs } from '../shared/logprobs.ts';
import { geminiUsageJson } from '../usage.ts';

/** Writes a whole answer. */
export function encodeWhole(response: CanonicalResponse, final: FinalUsage, context: AnswerContext): Buffer {
  const candidates = response.choices.map(candidateOf);
  const head = JSON.stringify({ candidates });
  const tail = JSON.stringify({ modelVersion: context.model, responseId: responseId(context) });
  const usage = geminiUsageJson(final.usage, final.cost);
  return Buffer.from(`${head.slice(0, -1)},"usageMetadata":${usage},${tail.slice(1)}`);
}

/** The id of an answer. */
export function responseId(context: AnswerContext): string {
  return `resp_${context.newId()}`;
}

function candidateOf({ parts, finish, logprobs }: Choice, index: number): JsonRecord {
  const written = parts.map(answerPart);
  const citations: JsonRecord[] = [];
  let before = 0;
  for (const part of parts) {
    if (part.type !== 'text') continue;
    if (part.citations !== undefined) append(citations, writeCitations(part.citations, part.text, before));
    before += Buffer.byteLength(part.text);
  }
  return {
    content: { parts: written.length === 0 ? [{ text: '' }] : written, role: 'model' },
    finishReason: geminiFinishReason(finish.reason),
    index,
    ...(citations.length > 0 && { citationMetadata: { citationSources: citations } }),
    ...(logprobs !== undefined && writeLogprobs(logprobs)),
  };
}
