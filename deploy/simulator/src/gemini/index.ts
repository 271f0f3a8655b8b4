import type { Exchange } from '../exchange.ts';
import type { Endpoint, Protocol } from '../protocol.ts';
import { answerCountTokens } from './count-tokens.ts';
import { renderFailure } from './errors.ts';
import { answerGenerate, answerStream } from './generate.ts';
import { answerModels } from './models.ts';

/** Google's Gemini. https://ai.google.dev/api/generate-content */
export const gemini: Protocol = {
  name: 'gemini',
  keyHeaders: ['x-goog-api-key', 'authorization'],
  find,
  renderFailure,
};

/** Official clients call `v1` or `v1beta`, which differ in nothing that is simulated. */
const MODEL_PATH = /^\/(v1|v1beta)\/models\/(.+):([A-Za-z]+)$/;

type ModelEndpoint = (exchange: Exchange, model: string) => Promise<void>;

/** By the method that follows the last colon of the path. */
const METHODS: Readonly<Record<string, ModelEndpoint>> = {
  generateContent: answerGenerate,
  streamGenerateContent: answerStream,
  countTokens: answerCountTokens,
};

function find(method: string, path: string): Endpoint | undefined {
  if (method === 'GET' && (path === '/v1beta/models' || path.startsWith('/v1beta/models/'))) return answerModels;
  const [, , model = '', called = ''] = (method === 'POST' ? MODEL_PATH.exec(path) : null) ?? [];
  const endpoint = METHODS[called];
  return endpoint === undefined ? undefined : (exchange) => endpoint(exchange, decoded(model));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
