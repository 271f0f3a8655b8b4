import { countInput } from '../answer/count-input.ts';
import { controlsOf, respond } from '../delivery/respond.ts';
import type { Exchange } from '../exchange.ts';
import { faultOf } from './check.ts';
import { invalidArgument, renderFailure } from './errors.ts';
import { readBody } from './read-body.ts';
import { countedConversation } from './request.ts';
import { countSchema } from './schema.ts';

/** POST /v1beta/models/{model}:countTokens */
export async function answerCountTokens(exchange: Exchange, model: string): Promise<void> {
  const read = readBody(exchange, countSchema);
  if (!read.ok) return exchange.send(read.answer);
  const { body } = read;
  if ((body.contents === undefined) === (body.generateContentRequest === undefined)) {
    return exchange.send(invalidArgument('Exactly one of contents and generateContentRequest must be set.'));
  }
  const fault = faultOf(body.generateContentRequest ?? { contents: body.contents ?? [] });
  if (fault !== undefined) return exchange.send(invalidArgument(fault));
  const conversation = countedConversation(model, body);
  const result = controlsOf(body.simulate, conversation);
  if (!result.ok) return exchange.send(invalidArgument(result.message));
  const totalTokens = countInput(conversation);
  await respond(exchange, result.controls, {
    whole: () => JSON.stringify({ totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] }),
    headers: {},
    tokens: 0,
    renderFailure,
  });
}
