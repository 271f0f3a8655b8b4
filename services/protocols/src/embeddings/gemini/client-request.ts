import { type JsonObject, memberOf } from '../../json/object.ts';
import type { JsonRecord } from '../../json/record.ts';
import { runToEnd } from '../../lists/stages.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';
import { parseJsonRequest } from '../../request/parse-json-request.ts';
import { openaiUpstream } from '../openai/upstream/index.ts';
import type { ClientEmbeddings, EmbeddingsResult } from '../shared/protocol.ts';
import type { EmbeddingInput, EmbeddingsRequest } from '../shared/request.ts';
import { boundRequest } from '../shared/request.ts';
import { translateRequest, translatingTransformer } from '../shared/translate.ts';
import { decodeInput } from './client/decode-input.ts';
import { encodeResponse } from './client/encode-response.ts';
import { editRequest } from './passthrough/edit-request.ts';
import { responseTransformer } from './passthrough/edit-response.ts';
import { bareModelName, methodPath } from './shared/model-name.ts';
import { batchEmbedContentsSchema, type EmbedContent, embedContentSchema, MAX_REQUESTS } from './shared/schema.ts';

/** Parses a body of `:embedContent`. */
export function parseEmbedContent(body: Buffer, model: string): EmbeddingsResult {
  const result = runToEnd(parseJsonRequest(body, embedContentSchema, []));
  if (!result.ok) return result;
  const { object, request } = result;
  return createClientRequest({ object, body: request, elements: [{ request, at: '' }], model, isBatch: false });
}

/** Parses a body of `:batchEmbedContents`. */
export function parseBatchEmbedContents(body: Buffer, model: string): EmbeddingsResult {
  const result = runToEnd(parseJsonRequest(body, batchEmbedContentsSchema, []));
  if (!result.ok) return result;
  const { object, request } = result;
  if (request.requests.length > MAX_REQUESTS) {
    return { ok: false, error: { path: 'requests', message: `requests: expected at most ${MAX_REQUESTS} elements` } };
  }
  if (typeof request.model === 'string' && bareModelName(request.model) !== bareModelName(model)) {
    return { ok: false, error: { path: 'model', message: 'model: does not match the model in the path' } };
  }
  const elements = request.requests.map((element, index) => ({ request: element, at: `requests[${index}]` }));
  return createClientRequest({ object, body: request, elements, model, isBatch: true });
}

interface Call {
  readonly object: JsonObject;
  readonly body: JsonRecord;
  readonly elements: readonly { readonly request: EmbedContent; readonly at: string }[];
  readonly model: string;
  readonly isBatch: boolean;
}

function createClientRequest({ object, body, elements, model, isBatch }: Call): EmbeddingsResult {
  const inputs: EmbeddingInput[] = [];
  const dropped: Diagnostic[] = [];
  for (const { request, at } of elements) {
    const result = decodeInput(request, at, model);
    if (!result.ok) return result;
    inputs.push(result.input);
    for (const field of result.dropped) dropped.push(field);
  }
  const canonical: EmbeddingsRequest = { inputs, dropped };
  const prompt = memberOf(object, isBatch ? 'requests' : 'content');
  const request: ClientEmbeddings = {
    protocol: 'gemini-embeddings',
    model,
    canonical,
    prompt: object.bytes.subarray(prompt?.valueStart, prompt?.valueEnd),
    bound: (facts) => boundRequest(body, elements.length, facts),
    upstreamRequest: (upstream, upstreamModel) => {
      switch (upstream) {
        case 'gemini-embeddings': {
          const path = methodPath(upstreamModel, isBatch ? 'batchEmbedContents' : 'embedContent');
          return { ok: true, path, body: editRequest(object, upstreamModel, isBatch), warnings: [] };
        }
        case 'openai-embeddings':
          return translateRequest(canonical, openaiUpstream, upstreamModel);
        default:
          return upstream satisfies never;
      }
    },
    responseTransformer: (upstream) => {
      switch (upstream) {
        case 'gemini-embeddings':
          return responseTransformer(isBatch ? 'embeddings' : 'embedding');
        case 'openai-embeddings':
          return translatingTransformer(canonical, openaiUpstream, (vectors, final) =>
            encodeResponse(vectors, isBatch, final),
          );
        default:
          return upstream satisfies never;
      }
    },
  };
  return { ok: true, request };
}
