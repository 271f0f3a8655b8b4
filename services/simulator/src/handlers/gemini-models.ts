import type { Exchange } from '../exchange/exchange.ts';
import { errorResponse } from '../gemini/errors.ts';
import { MAX_OUTPUT_TOKENS } from '../model/tokens.ts';
import { MODEL_IDS } from './openai-models.ts';

const LIST_PATH = '/v1beta/models';

/** GET /v1beta/models and /v1beta/models/{id}. */
export async function handleGeminiModels(exchange: Exchange): Promise<void> {
  const headers = { 'content-type': 'application/json; charset=UTF-8' };
  if (exchange.path === LIST_PATH) {
    return exchange.send({ status: 200, headers, body: JSON.stringify({ models: MODEL_IDS.map(describe) }) });
  }
  const id = exchange.path.slice(LIST_PATH.length + 1);
  if (MODEL_IDS.includes(id)) return exchange.send({ status: 200, headers, body: JSON.stringify(describe(id)) });
  const message = `models/${id} is not found for API version v1beta.`;
  exchange.send(errorResponse({ code: 404, message, status: 'NOT_FOUND' }));
}

function describe(id: string) {
  const embeds = id === 'simulated-embedding';
  return {
    name: `models/${id}`,
    version: '1',
    displayName: id,
    description: 'Simulated: no model is called.',
    inputTokenLimit: 128_000,
    outputTokenLimit: embeds ? 1 : MAX_OUTPUT_TOKENS,
    supportedGenerationMethods: embeds ? ['embedContent'] : ['generateContent', 'countTokens'],
  };
}
