import { controlsOf, respond } from '../delivery/respond.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { countFaultOf } from '../gemini/check.ts';
import { invalidArgument, renderFailure } from '../gemini/errors.ts';
import { parseBody } from '../gemini/parse-body.ts';
import { countedConversation } from '../gemini/request.ts';
import { countSchema } from '../gemini/schema.ts';
import { countInput } from '../model/count-input.ts';

/** POST /v1beta/models/{model}:countTokens */
export async function handleGeminiCountTokens(exchange: Exchange, model: string): Promise<void> {
  const read = parseBody(exchange, countSchema);
  if (!read.ok) return exchange.send(read.response);
  const { body } = read;
  if ((body.contents === undefined) === (body.generateContentRequest === undefined)) {
    return exchange.send(invalidArgument('Exactly one of contents and generateContentRequest must be set.'));
  }
  const fault = countFaultOf(body.generateContentRequest ?? { contents: body.contents ?? [] });
  if (fault !== undefined) return exchange.send(invalidArgument(fault));
  const conversation = countedConversation(model, body);
  const result = controlsOf(body.simulate, conversation);
  if (!result.ok) return exchange.send(invalidArgument(result.message));
  const totalTokens = countInput(conversation);
  await respond(exchange, result.controls, {
    json: () => JSON.stringify({ totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] }),
    headers: {},
    tokens: 0,
    renderFailure,
  });
}
