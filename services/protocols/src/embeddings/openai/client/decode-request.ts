import { appendKey } from '../../../json/path.ts';
import { droppedField, type EmbeddingsRequest } from '../../shared/request.ts';
import type { OpenaiEmbeddings } from '../shared/schema.ts';
import type { InputContent } from './parse.ts';

/** Fields that are decoded into the canonical form, or that affect only the response. */
const DECODED_FIELDS: ReadonlySet<string> = new Set(['model', 'input', 'dimensions', 'encoding_format']);

/** Decodes a request into the canonical form. */
export function decodeRequest(request: OpenaiEmbeddings, contents: readonly InputContent[]): EmbeddingsRequest {
  const { dimensions } = request;
  const placed = typeof dimensions === 'number' ? { value: dimensions, at: 'dimensions' } : undefined;
  const isSent = (name: string) => request[name] !== undefined && request[name] !== null;
  return {
    inputs: contents.map(({ content, at }) => ({
      content,
      at,
      dimensions: placed,
      taskType: undefined,
      title: undefined,
    })),
    dropped: Object.keys(request)
      .filter((name) => !DECODED_FIELDS.has(name) && isSent(name))
      .map((name) => droppedField(appendKey('', name))),
  };
}
