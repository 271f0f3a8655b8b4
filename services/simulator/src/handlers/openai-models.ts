import type { Exchange } from '../exchange/exchange.ts';
import { CREATED } from '../model/plan.ts';
import { errorResponse } from '../openai-chat/errors.ts';

/** The listed names. Calls may use any other name too. */
export const MODEL_IDS = [
  'simulated-small',
  'simulated-large',
  'simulated-vision',
  'simulated-chat',
  'simulated-responses',
  'simulated-messages',
  'simulated-gemini',
  'simulated-tiered',
  'simulated-embedding',
];

const LIST_PATH = '/v1/models';

/** GET /v1/models and /v1/models/{id}. */
export async function handleOpenaiModels(exchange: Exchange): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  if (exchange.path === LIST_PATH) {
    exchange.send({ status: 200, headers, body: JSON.stringify({ object: 'list', data: MODEL_IDS.map(describe) }) });
    return;
  }
  const id = decodeURIComponentSafely(exchange.path.slice(LIST_PATH.length + 1));
  if (MODEL_IDS.includes(id)) {
    exchange.send({ status: 200, headers, body: JSON.stringify(describe(id)) });
    return;
  }
  const message = `The model '${id}' does not exist`;
  exchange.send(
    errorResponse(404, { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' }),
  );
}

function describe(id: string) {
  return { id, object: 'model', created: CREATED, owned_by: 'simulator', simulated: true };
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
