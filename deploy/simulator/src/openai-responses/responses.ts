import { pacedTokens, planAnswer } from '../answer/plan.ts';
import { controlsOf, respond } from '../delivery/respond.ts';
import type { StreamForm } from '../delivery/stream.ts';
import type { Exchange } from '../exchange.ts';
import { invalidRequest, renderFailure, SERVER_ERROR } from '../openai-chat/errors.ts';
import { responseEvents } from './events.ts';
import { outputItems, shownBy } from './items.ts';
import { readBody } from './read-body.ts';
import { conversationOf, samplingOf } from './request.ts';
import { finalResponse } from './response.ts';
import { responsesSchema } from './schema.ts';

const FORM: StreamForm = {
  contentType: 'text/event-stream; charset=utf-8',
  headers: {},
  errorEvent: (sent) => {
    const { message } = SERVER_ERROR;
    const error = { type: 'error', sequence_number: sent, code: 'server_error', message, param: null };
    return { name: 'error', data: JSON.stringify(error), delayMs: 0 };
  },
};

/** POST /v1/responses */
export async function answerResponses(exchange: Exchange): Promise<void> {
  const read = readBody(exchange, responsesSchema);
  if (!read.ok) return exchange.send(read.answer);
  const { body } = read;
  const conversation = conversationOf(body, samplingOf(body));
  const result = controlsOf(body.simulate, conversation);
  if (!result.ok) return exchange.send(invalidRequest(result.message, 'simulate', 'invalid_value'));
  const { controls } = result;
  const plan = planAnswer('openai-responses', conversation, exchange.body, controls);
  const shown = shownBy(body);
  const items = outputItems(plan, shown);
  await respond(exchange, controls, {
    whole: () => JSON.stringify(finalResponse(plan, body, items, controls)),
    headers: { 'x-request-id': `req_sim${plan.digest.slice(0, 26)}`, 'openai-version': '2020-10-01' },
    stream:
      body.stream === true
        ? { form: FORM, events: () => responseEvents(plan, body, items, shown, controls) }
        : undefined,
    tokens: pacedTokens(plan),
    renderFailure,
  });
}
