import { describeError } from '../../../interface/errors.ts';
import { isRecord, type JsonRecord, parseJson, recordOr } from '../../../json/record.ts';
import type { DecodedEmbeddings } from '../../shared/protocol.ts';
import { decodeVector, type Vector } from '../../shared/vector.ts';
import { readUsage, unreadableUsage } from '../shared/usage.ts';

/** Reads a response whose vectors are in either format. */
export function decodeResponse(body: Buffer): DecodedEmbeddings {
  const value = recordOr(parseJson(body.toString('utf8')));
  if (isRecord(value['error'])) return { kind: 'error', error: describeError(value) };
  const { data } = value;
  if (!Array.isArray(data)) return { kind: 'malformed', problem: 'the response has no data' };
  const vectors = inOrder(data.map(recordOr));
  if (vectors === undefined) return { kind: 'malformed', problem: 'an element of the response has no vector' };
  const report = value['usage'];
  return {
    kind: 'response',
    vectors,
    usage: readUsage(report),
    unreadable: unreadableUsage(report),
  };
}

/** The vectors in the order of their `index`; undefined if one is missing or repeated. */
function inOrder(elements: readonly JsonRecord[]): Vector[] | undefined {
  const vectors = new Map<number, Vector>();
  for (const [position, element] of elements.entries()) {
    const vector = decodeVector(element['embedding']);
    const index = typeof element['index'] === 'number' ? element['index'] : position;
    if (vector === undefined || vectors.has(index)) return undefined;
    vectors.set(index, vector);
  }
  const ordered = elements.map((_, index) => vectors.get(index));
  return ordered.every((vector) => vector !== undefined) ? ordered : undefined;
}
