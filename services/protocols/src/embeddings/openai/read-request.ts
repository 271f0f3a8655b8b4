import { type JsonObject, memberOf } from '../../json/object.ts';
import { appendKey } from '../../json/path.ts';
import { splice } from '../../json/splice.ts';
import { readJsonRequest } from '../../read-json-request.ts';
import { runToEnd } from '../../stages.ts';
import { boundTokens } from '../bound.ts';
import { geminiEmbeddingsUpstream } from '../gemini/upstream.ts';
import type { ClientEmbeddings, EmbeddingsReading } from '../protocol.ts';
import { type EmbeddingsRequest, notPassedOn } from '../request.ts';
import { translatedPassage, translateRequest } from '../translate.ts';
import { encodeOpenaiAnswer } from './encode-answer.ts';
import { refusedField } from './guard.ts';
import { openaiPassage } from './passage.ts';
import { type InputContent, readInput } from './read-input.ts';
import { type OpenaiEmbeddings, openaiEmbeddingsSchema } from './schema.ts';
import { OPENAI_EMBEDDINGS_PATH } from './upstream.ts';

/** JSON values of a body at most: OpenAI takes 300,000 tokens in one call, each of which may be a number. */
const MAX_VALUES = 310_000;

/** Reads a body of POST /v1/embeddings. */
export function readOpenaiEmbeddings(body: Buffer): EmbeddingsReading {
  const result = runToEnd(readJsonRequest(body, openaiEmbeddingsSchema, [], MAX_VALUES));
  if (!result.ok) return result;
  const { object, request } = result;
  const error = refusedField(request);
  if (error !== undefined) return { ok: false, error };
  const input = readInput(request.input);
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
    bound: (facts) => boundTokens(request, contents.length, facts),
    towards: (upstream, upstreamModel) => {
      switch (upstream) {
        case 'openai-embeddings': {
          const body = splice(object, [{ op: 'set', path: ['model'], json: JSON.stringify(upstreamModel) }]);
          return { ok: true, path: OPENAI_EMBEDDINGS_PATH, body, warnings: [] };
        }
        case 'gemini-embeddings':
          return translateRequest(canonical, geminiEmbeddingsUpstream, upstreamModel);
        default:
          return upstream satisfies never;
      }
    },
    passage: (upstream, context) => {
      switch (upstream) {
        case 'openai-embeddings':
          return openaiPassage(format, context);
        case 'gemini-embeddings':
          return translatedPassage(canonical, geminiEmbeddingsUpstream, (vectors, final) =>
            encodeOpenaiAnswer(vectors, format, context, final),
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
    unsaid: Object.keys(request)
      .filter((name) => !SAID.has(name) && isSent(name))
      .map((name) => notPassedOn(appendKey('', name))),
  };
}
