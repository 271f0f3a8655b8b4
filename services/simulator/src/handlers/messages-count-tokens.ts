import { invalidRequest, renderFailure } from '../anthropic-messages/errors.ts';
import { parseBody } from '../anthropic-messages/parse-body.ts';
import { conversationOf } from '../anthropic-messages/request.ts';
import { countSchema } from '../anthropic-messages/schema.ts';
import { controlsOf, respond } from '../delivery/respond.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { countInput } from '../model/count-input.ts';

/** POST /v1/messages/count_tokens */
export async function handleMessagesCountTokens(exchange: Exchange): Promise<void> {
  const read = parseBody(exchange, countSchema);
  if (!read.ok) return exchange.send(read.response);
  const conversation = conversationOf(read.body);
  const result = controlsOf(read.body.simulate, conversation);
  if (!result.ok) return exchange.send(invalidRequest(result.message));
  await respond(exchange, result.controls, {
    json: () => JSON.stringify({ input_tokens: countInput(conversation) }),
    headers: {},
    tokens: 0,
    renderFailure,
  });
}
