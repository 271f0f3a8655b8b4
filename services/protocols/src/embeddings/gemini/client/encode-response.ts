import type { FinalUsage } from '../../../interface/protocol.ts';
import type { Vector } from '../../shared/vector.ts';
import { encodeUsage } from '../shared/usage.ts';

/** The response to `:embedContent`, or to `:batchEmbedContents`, in Google's shape. */
export function encodeResponse(vectors: readonly Vector[], isBatch: boolean, { usage, cost }: FinalUsage): Buffer {
  const embeddings = vectors.map((values) => ({ values }));
  const member = isBatch ? { embeddings } : { embedding: embeddings[0] };
  return Buffer.from(`${JSON.stringify(member).slice(0, -1)},"usageMetadata":${encodeUsage(usage, cost)}}`);
}
