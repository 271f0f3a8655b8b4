import { type JsonObject, memberOf } from '../../json/object.ts';
import { runToEnd } from '../../lists/stages.ts';
import { parseJsonRequest } from '../../request/parse-json-request.ts';
import { geminiUpstream } from '../gemini/upstream/index.ts';
import type { ClientEmbeddings, EmbeddingsResult } from '../shared/protocol.ts';
import { boundRequest } from '../shared/request.ts';
import { translateRequest, translatingTransformer } from '../shared/translate.ts';
import { decodeRequest } from './client/decode-request.ts';
import { encodeResponse } from './client/encode-response.ts';
import { type InputContent, parseInput } from './client/parse.ts';
import { checkPolicy } from './client/policy.ts';
import { editRequest } from './passthrough/edit-request.ts';
import { responseTransformer } from './passthrough/edit-response.ts';
import { type OpenaiEmbeddings, requestSchema } from './shared/schema.ts';
import { EMBEDDINGS_PATH } from './upstream/index.ts';

/** Maximum number of JSON values of a body: OpenAI accepts 300,000 tokens in one call, each of which may be a number. */
const MAX_VALUES = 310_000;

/** Parses a body of POST /v1/embeddings. */
export function parseOpenaiEmbeddings(body: Buffer): EmbeddingsResult {
  const result = runToEnd(parseJsonRequest(body, requestSchema, [], MAX_VALUES));
  if (!result.ok) return result;
  const { object, request } = result;
  const error = checkPolicy(request);
  if (error !== undefined) return { ok: false, error };
  const input = parseInput(request.input);
  return input.ok ? { ok: true, request: createClientRequest(object, request, input.contents) } : input;
}

function createClientRequest(
  object: JsonObject,
  request: OpenaiEmbeddings,
  contents: readonly InputContent[],
): ClientEmbeddings {
  const canonical = decodeRequest(request, contents);
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
          const body = editRequest(object, upstreamModel);
          return { ok: true, path: EMBEDDINGS_PATH, body, warnings: [] };
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
