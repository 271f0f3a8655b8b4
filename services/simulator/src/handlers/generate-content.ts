import { withPromptCache } from '../controls/prompt-cache.ts';
import { controlsOf, respond } from '../delivery/respond.ts';
import type { StreamForm } from '../delivery/stream.ts';
import type { BufferedResponse } from '../exchange/buffered-response.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { faultOf } from '../gemini/check.ts';
import { modelFault } from '../gemini/check-model.ts';
import { invalidArgument, lengthRefusal, renderFailure, STREAM_ERROR } from '../gemini/errors.ts';
import { parseBody } from '../gemini/parse-body.ts';
import { conversationOf } from '../gemini/request.ts';
import { responseEvents, responseJson } from '../gemini/response.ts';
import { generateSchema } from '../gemini/schema.ts';
import { webToolsOf } from '../gemini/web.ts';
import { pacedTokens, planOutput } from '../model/plan.ts';
import { withWeb } from '../model/web.ts';

const ERROR_EVENT = { data: JSON.stringify({ error: STREAM_ERROR }), delayMs: 0 };
const SSE: StreamForm = {
  contentType: 'text/event-stream',
  headers: {},
  errorEvent: () => ERROR_EVENT,
  crlf: true,
};
const ARRAY: StreamForm = {
  contentType: 'application/json; charset=UTF-8',
  headers: {},
  errorEvent: () => ERROR_EVENT,
  framing: 'json-array',
};

/** POST /v1beta/models/{model}:generateContent */
export function handleGenerateContent(exchange: Exchange, model: string): Promise<void> {
  return generate(exchange, model, undefined);
}

/** POST /v1beta/models/{model}:streamGenerateContent: server-sent events with `alt=sse`, else one JSON array */
export function handleStreamGenerateContent(exchange: Exchange, model: string): Promise<void> {
  const query = new URL(exchange.request.url ?? '/', 'http://simulator').searchParams;
  return generate(exchange, model, query.get('alt') === 'sse' ? SSE : ARRAY);
}

async function generate(exchange: Exchange, model: string, form: StreamForm | undefined): Promise<void> {
  const framed = (response: BufferedResponse) => (form === ARRAY ? inArray(response) : response);
  const refuse = (response: BufferedResponse) => exchange.send(framed(response));
  const read = parseBody(exchange, generateSchema);
  if (!read.ok) return refuse(read.response);
  const { body } = read;
  const fault = faultOf(body) ?? modelFault(model, body);
  if (fault !== undefined) return refuse(invalidArgument(fault));
  const conversation = conversationOf(model, body);
  const result = controlsOf(body.simulate, conversation);
  if (!result.ok) return refuse(invalidArgument(result.message));
  const controls = withPromptCache(exchange, 'gemini', conversation, result.controls);
  const planned = planOutput('gemini', conversation, exchange.body, controls);
  const plan = withWeb(planned, webToolsOf(body), controls);
  const { settings } = conversation;
  const include = {
    thoughts: settings.showReasoning,
    toolCalls: body.toolConfig?.includeServerSideToolInvocations === true,
    logprobs: settings.logprobs,
    serviceTier: settings.serviceTier,
  };
  await respond(exchange, controls, {
    json: () => responseJson(plan, include, controls),
    headers: {},
    stream: form === undefined ? undefined : { form, events: () => responseEvents(plan, include, controls) },
    tokens: pacedTokens(plan),
    prompt: { tokens: planned.usage.input, refuse: (overflow) => framed(lengthRefusal(overflow)) },
    renderFailure: (failure, retryAfter) => framed(renderFailure(failure, retryAfter)),
  });
}

/** In an array, an error is the only element. */
function inArray(response: BufferedResponse): BufferedResponse {
  return response.body.startsWith('{') ? { ...response, body: `[${response.body}]` } : response;
}
