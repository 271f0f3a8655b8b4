import { controlsOf, respond } from '../delivery/respond.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { countInput } from '../model/count-input.ts';
import { invalidRequest, renderFailure } from '../openai-chat/errors.ts';
import { parseBody } from '../openai-responses/parse-body.ts';
import { conversationOf } from '../openai-responses/request.ts';
import { countSchema } from '../openai-responses/schema.ts';

/** POST /v1/responses/input_tokens */
export async function handleInputTokens(exchange: Exchange): Promise<void> {
  const read = parseBody(exchange, countSchema);
  if (!read.ok) return exchange.send(read.response);
  const conversation = conversationOf(read.body);
  const result = controlsOf(read.body.simulate, conversation);
  if (!result.ok) return exchange.send(invalidRequest(result.message, 'simulate', 'invalid_value'));
  await respond(exchange, result.controls, {
    json: () => JSON.stringify({ object: 'response.input_tokens', input_tokens: countInput(conversation) }),
    headers: {},
    tokens: 0,
    renderFailure,
  });
}
