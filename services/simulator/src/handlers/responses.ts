import { withPromptCache } from '../controls/prompt-cache.ts';
import { controlsOf, respond } from '../delivery/respond.ts';
import type { StreamForm } from '../delivery/stream.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { pacedTokens, planOutput } from '../model/plan.ts';
import { withWeb } from '../model/web.ts';
import { invalidRequest, renderFailure, SERVER_ERROR } from '../openai-chat/errors.ts';
import { lengthRefusal } from '../openai-responses/errors.ts';
import { refusalEvents, responseEvents } from '../openai-responses/events.ts';
import { outputItems, outputOptions } from '../openai-responses/items.ts';
import { parseBody } from '../openai-responses/parse-body.ts';
import { conversationOf, samplingOf } from '../openai-responses/request.ts';
import { finalResponse } from '../openai-responses/response.ts';
import { responsesSchema } from '../openai-responses/schema.ts';
import { webToolsOf } from '../openai-responses/web.ts';

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
export async function handleResponses(exchange: Exchange): Promise<void> {
  const read = parseBody(exchange, responsesSchema);
  if (!read.ok) return exchange.send(read.response);
  const { body } = read;
  const conversation = conversationOf(body, samplingOf(body));
  const result = controlsOf(body.simulate, conversation);
  if (!result.ok) return exchange.send(invalidRequest(result.message, 'simulate', 'invalid_value'));
  const controls = withPromptCache(exchange, 'openai-responses', conversation, result.controls);
  const planned = planOutput('openai-responses', conversation, exchange.body, controls);
  const plan = withWeb(planned, webToolsOf(body), controls, body.max_tool_calls ?? undefined);
  const shown = outputOptions(body);
  const items = outputItems(plan, shown);
  await respond(exchange, controls, {
    json: () => JSON.stringify(finalResponse(plan, body, items, controls)),
    headers: { 'x-request-id': `req_sim${plan.digest.slice(0, 26)}`, 'openai-version': '2020-10-01' },
    stream:
      body.stream === true
        ? { form: FORM, events: () => responseEvents(plan, body, items, shown, controls) }
        : undefined,
    tokens: pacedTokens(plan),
    prompt: {
      tokens: planned.usage.input,
      refuse: () => (body.stream === true ? { form: FORM, events: () => refusalEvents(plan, body) } : lengthRefusal()),
    },
    renderFailure,
  });
}
