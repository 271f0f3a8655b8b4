import type { FinalUsage, ResponseContext } from '../../../interface/protocol.ts';
import { encodeBase64, type Vector } from '../../shared/vector.ts';
import { encodeUsage } from '../shared/usage.ts';

/** The encoding of vectors that a client requests. */
export type EncodingFormat = 'float' | 'base64';

/** The `data` of a response, as JSON. */
export function encodeData(vectors: readonly Vector[], format: EncodingFormat): string {
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: format === 'base64' ? encodeBase64(vector) : vector,
  }));
  return JSON.stringify(data);
}

/** A buffered response in OpenAI's shape. */
export function encodeResponse(
  vectors: readonly Vector[],
  format: EncodingFormat,
  { model }: ResponseContext,
  { usage, cost }: FinalUsage,
): Buffer {
  const data = encodeData(vectors, format);
  const usageJson = encodeUsage(usage, cost);
  return Buffer.from(`{"object":"list","data":${data},"model":${JSON.stringify(model)},"usage":${usageJson}}`);
}
