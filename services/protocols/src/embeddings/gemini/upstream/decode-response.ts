import { describeError } from '../../../interface/errors.ts';
import { isRecord, parseJson, recordOr } from '../../../json/record.ts';
import type { DecodedEmbeddings } from '../../shared/protocol.ts';
import { decodeVector, type Vector } from '../../shared/vector.ts';
import { readUsage, unreadableUsage } from '../shared/usage.ts';

/** Reads a response to `embedContent` or `batchEmbedContents`. */
export function decodeResponse(body: Buffer): DecodedEmbeddings {
  const value = recordOr(parseJson(body.toString('utf8')));
  if (isRecord(value['error'])) return { kind: 'error', error: describeError(value) };
  const { embedding, embeddings } = value;
  const elements: unknown[] = Array.isArray(embeddings) ? embeddings : isRecord(embedding) ? [embedding] : [];
  if (elements.length === 0) return { kind: 'malformed', problem: 'the response has no embeddings' };
  const vectors: Vector[] = [];
  for (const element of elements) {
    const vector = decodeVector(recordOr(element)['values']);
    if (vector === undefined) return { kind: 'malformed', problem: 'an embedding of the response has no values' };
    vectors.push(vector);
  }
  const report = value['usageMetadata'];
  return {
    kind: 'response',
    vectors,
    usage: readUsage(report),
    unreadable: unreadableUsage(report),
  };
}
