import { countInput } from '../answer/count-input.ts';
import { controlsOf, respond } from '../delivery/respond.ts';
import type { Exchange } from '../exchange.ts';
import { invalidRequest, renderFailure } from '../openai-chat/errors.ts';
import { readBody } from './read-body.ts';
import { conversationOf } from './request.ts';
import { countSchema } from './schema.ts';

/** POST /v1/responses/input_tokens */
export async function answerInputTokens(exchange: Exchange): Promise<void> {
  const read = readBody(exchange, countSchema);
  if (!read.ok) return exchange.send(read.answer);
  const conversation = conversationOf(read.body);
  const result = controlsOf(read.body.simulate, conversation);
  if (!result.ok) return exchange.send(invalidRequest(result.message, 'simulate', 'invalid_value'));
  await respond(exchange, result.controls, {
    whole: () => JSON.stringify({ object: 'response.input_tokens', input_tokens: countInput(conversation) }),
    headers: {},
    tokens: 0,
    renderFailure,
  });
}
