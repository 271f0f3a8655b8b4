import type { FieldNote } from '../../field-note.ts';
import { type JsonObject, memberOf } from '../../json/object.ts';
import type { JsonRecord } from '../../json/record.ts';
import { readJsonRequest } from '../../read-json-request.ts';
import { runToEnd } from '../../stages.ts';
import { boundTokens } from '../bound.ts';
import { openaiEmbeddingsUpstream } from '../openai/upstream.ts';
import type { ClientEmbeddings, EmbeddingsReading } from '../protocol.ts';
import type { EmbeddingInput, EmbeddingsRequest } from '../request.ts';
import { translatedPassage, translateRequest } from '../translate.ts';
import { encodeGeminiAnswer } from './encode-answer.ts';
import { forwardBatch, forwardSingle } from './forward.ts';
import { bareModelName, methodPath } from './model-name.ts';
import { geminiPassage } from './passage.ts';
import { readGeminiInput } from './read-input.ts';
import { batchEmbedContentsSchema, type EmbedContent, embedContentSchema, MAX_REQUESTS } from './schema.ts';

/** Reads a body of `:embedContent`. */
export function readEmbedContent(body: Buffer, model: string): EmbeddingsReading {
  const result = runToEnd(readJsonRequest(body, embedContentSchema, []));
  if (!result.ok) return result;
  const { object, request } = result;
  return clientOf({ object, body: request, elements: [{ request, at: '' }], model, isBatch: false });
}

/** Reads a body of `:batchEmbedContents`. */
export function readBatchEmbedContents(body: Buffer, model: string): EmbeddingsReading {
  const result = runToEnd(readJsonRequest(body, batchEmbedContentsSchema, []));
  if (!result.ok) return result;
  const { object, request } = result;
  if (request.requests.length > MAX_REQUESTS) {
    return { ok: false, error: { path: 'requests', message: `requests: expected at most ${MAX_REQUESTS} elements` } };
  }
  if (typeof request.model === 'string' && bareModelName(request.model) !== bareModelName(model)) {
    return { ok: false, error: { path: 'model', message: 'model: is not the model of the path' } };
  }
  const elements = request.requests.map((element, index) => ({ request: element, at: `requests[${index}]` }));
  return clientOf({ object, body: request, elements, model, isBatch: true });
}

interface Call {
  readonly object: JsonObject;
  readonly body: JsonRecord;
  readonly elements: readonly { readonly request: EmbedContent; readonly at: string }[];
  readonly model: string;
  readonly isBatch: boolean;
}

function clientOf({ object, body, elements, model, isBatch }: Call): EmbeddingsReading {
  const inputs: EmbeddingInput[] = [];
  const unsaid: FieldNote[] = [];
  for (const { request, at } of elements) {
    const reading = readGeminiInput(request, at, model);
    if (!reading.ok) return reading;
    inputs.push(reading.input);
    for (const note of reading.unsaid) unsaid.push(note);
  }
  const canonical: EmbeddingsRequest = { inputs, unsaid };
  const prompt = memberOf(object, isBatch ? 'requests' : 'content');
  const request: ClientEmbeddings = {
    protocol: 'gemini-embeddings',
    model,
    canonical,
    prompt: object.bytes.subarray(prompt?.valueStart, prompt?.valueEnd),
    bound: (facts) => boundTokens(body, elements.length, facts),
    towards: (upstream, upstreamModel) => {
      switch (upstream) {
        case 'gemini-embeddings': {
          const path = methodPath(upstreamModel, isBatch ? 'batchEmbedContents' : 'embedContent');
          const forward = isBatch ? forwardBatch : forwardSingle;
          return { ok: true, path, body: forward(object, upstreamModel), warnings: [] };
        }
        case 'openai-embeddings':
          return translateRequest(canonical, openaiEmbeddingsUpstream, upstreamModel);
        default:
          return upstream satisfies never;
      }
    },
    passage: (upstream) => {
      switch (upstream) {
        case 'gemini-embeddings':
          return geminiPassage(isBatch ? 'embeddings' : 'embedding');
        case 'openai-embeddings':
          return translatedPassage(canonical, openaiEmbeddingsUpstream, (vectors, final) =>
            encodeGeminiAnswer(vectors, isBatch, final),
          );
        default:
          return upstream satisfies never;
      }
    },
  };
  return { ok: true, request };
}
