import { type JsonObject, memberOf } from '../../../json/object.ts';
import { appendKey } from '../../../json/path.ts';
import { splice } from '../../../json/splice.ts';
import { parseJsonRequest } from '../../../parse-json-request.ts';
import { runToEnd } from '../../../stages.ts';
import { boundRequest } from '../../bound.ts';
import { geminiUpstream } from '../../gemini/upstream.ts';
import type { ClientEmbeddings, EmbeddingsResult } from '../../protocol.ts';
import { droppedField, type EmbeddingsRequest } from '../../request.ts';
import { translateRequest, translatingTransformer } from '../../translate.ts';
import { responseTransformer } from '../passthrough/edit-response.ts';
import { type OpenaiEmbeddings, openaiEmbeddingsSchema } from '../schema.ts';
import { OPENAI_EMBEDDINGS_PATH } from '../upstream.ts';
import { encodeResponse } from './encode-response.ts';
import { type InputContent, parseInput } from './parse.ts';
import { checkPolicy } from './policy.ts';

/** JSON values of a body at most: OpenAI takes 300,000 tokens in one call, each of which may be a number. */
const MAX_VALUES = 310_000;

/** Reads a body of POST /v1/embeddings. */
export function parseOpenaiEmbeddings(body: Buffer): EmbeddingsResult {
  const result = runToEnd(parseJsonRequest(body, openaiEmbeddingsSchema, [], MAX_VALUES));
  if (!result.ok) return result;
  const { object, request } = result;
  const error = checkPolicy(request);
  if (error !== undefined) return { ok: false, error };
  const input = parseInput(request.input);
  return input.ok ? { ok: true, request: clientOf(object, request, input.contents) } : input;
}

function clientOf(object: JsonObject, request: OpenaiEmbeddings, contents: readonly InputContent[]): ClientEmbeddings {
  const canonical = canonicalOf(request, contents);
  const format = request.encoding_format ?? 'float';
  const input = memberOf(object, 'input');
  return {
    protocol: 'openai-embeddings',
    model: request.model,
    canonical,
    prompt: object.bytes.subarray(input?.valueStart, input?.valueEnd),
    bound: (facts) => boundRequest(request, contents.length, facts),
    upstreamRequest: (upstream, upstreamModel) => {
      switch (upstream) {
        case 'openai-embeddings': {
          const body = splice(object, [{ op: 'set', path: ['model'], json: JSON.stringify(upstreamModel) }]);
          return { ok: true, path: OPENAI_EMBEDDINGS_PATH, body, warnings: [] };
        }
        case 'gemini-embeddings':
          return translateRequest(canonical, geminiUpstream, upstreamModel);
        default:
          return upstream satisfies never;
      }
    },
    responseTransformer: (upstream, context) => {
      switch (upstream) {
        case 'openai-embeddings':
          return responseTransformer(format, context);
        case 'gemini-embeddings':
          return translatingTransformer(canonical, geminiUpstream, (vectors, final) =>
            encodeResponse(vectors, format, context, final),
          );
        default:
          return upstream satisfies never;
      }
    },
  };
}

/** Fields whose meaning is in the canonical form, or that the way back takes care of. */
const SAID: ReadonlySet<string> = new Set(['model', 'input', 'dimensions', 'encoding_format']);

function canonicalOf(request: OpenaiEmbeddings, contents: readonly InputContent[]): EmbeddingsRequest {
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
      .filter((name) => !SAID.has(name) && isSent(name))
      .map((name) => droppedField(appendKey('', name))),
  };
}
