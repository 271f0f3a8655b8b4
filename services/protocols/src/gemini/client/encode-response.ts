import { carryThoughts } from '../../canonical/carried-thoughts.ts';
import type { CanonicalResponse, Choice } from '../../canonical/response.ts';
import type { FinalUsage, ResponseContext } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { append } from '../../lists/stages.ts';
import { encodeCitations } from '../shared/citations.ts';
import { encodeOutputPart } from '../shared/encode-contents.ts';
import { encodeFinishReason } from '../shared/finish-reason.ts';
import { encodeLogprobs } from '../shared/logprobs.ts';
import { encodeUsage } from '../shared/usage.ts';

/** Writes a buffered response. */
export function encodeResponse(response: CanonicalResponse, final: FinalUsage, context: ResponseContext): Buffer {
  const candidates = response.choices.map(candidateOf);
  const head = JSON.stringify({ candidates });
  const tail = JSON.stringify({ modelVersion: context.model, responseId: responseId(context) });
  const usage = encodeUsage(final.usage, final.cost);
  return Buffer.from(`${head.slice(0, -1)},"usageMetadata":${usage},${tail.slice(1)}`);
}

/** The id of a response. */
export function responseId(context: ResponseContext): string {
  return `resp_${context.newId()}`;
}

function candidateOf({ parts, finish, logprobs }: Choice, index: number): JsonRecord {
  const written = carryThoughts(parts, 'reasoning').map(encodeOutputPart);
  const citations: JsonRecord[] = [];
  let before = 0;
  for (const part of parts) {
    if (part.type !== 'text') continue;
    if (part.citations !== undefined) append(citations, encodeCitations(part.citations, part.text, before));
    before += Buffer.byteLength(part.text);
  }
  return {
    content: { parts: written.length === 0 ? [{ text: '' }] : written, role: 'model' },
    finishReason: encodeFinishReason(finish.reason),
    index,
    ...(citations.length > 0 && { citationMetadata: { citationSources: citations } }),
    ...(logprobs !== undefined && encodeLogprobs(logprobs)),
  };
}
