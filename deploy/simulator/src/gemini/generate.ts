import { pacedTokens, planAnswer } from '../answer/plan.ts';
import { controlsOf, respond } from '../delivery/respond.ts';
import type { StreamForm } from '../delivery/stream.ts';
import type { Exchange } from '../exchange.ts';
import type { WholeAnswer } from '../protocol.ts';
import { answerEvents, answerJson } from './answer.ts';
import { faultOf } from './check.ts';
import { invalidArgument, renderFailure, STREAM_ERROR } from './errors.ts';
import { readBody } from './read-body.ts';
import { conversationOf } from './request.ts';
import { generateSchema } from './schema.ts';

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
export function answerGenerate(exchange: Exchange, model: string): Promise<void> {
  return generate(exchange, model, undefined);
}

/** POST /v1beta/models/{model}:streamGenerateContent: server-sent events with `alt=sse`, else one JSON array */
export function answerStream(exchange: Exchange, model: string): Promise<void> {
  const query = new URL(exchange.request.url ?? '/', 'http://simulator').searchParams;
  return generate(exchange, model, query.get('alt') === 'sse' ? SSE : ARRAY);
}

async function generate(exchange: Exchange, model: string, form: StreamForm | undefined): Promise<void> {
  const refuse = (answer: WholeAnswer) => exchange.send(form === ARRAY ? inArray(answer) : answer);
  const read = readBody(exchange, generateSchema);
  if (!read.ok) return refuse(read.answer);
  const { body } = read;
  const fault = faultOf(body);
  if (fault !== undefined) return refuse(invalidArgument(fault));
  const conversation = conversationOf(model, body);
  const result = controlsOf(body.simulate, conversation);
  if (!result.ok) return refuse(invalidArgument(result.message));
  const { controls } = result;
  const plan = planAnswer('gemini', conversation, exchange.body, controls);
  const { settings } = conversation;
  const told = { thoughts: settings.showReasoning, logprobs: settings.logprobs };
  await respond(exchange, controls, {
    whole: () => answerJson(plan, told, controls),
    headers: {},
    stream: form === undefined ? undefined : { form, events: () => answerEvents(plan, told, controls) },
    tokens: pacedTokens(plan),
    renderFailure: (failure, retryAfter) => {
      const answer = renderFailure(failure, retryAfter);
      return form === ARRAY ? inArray(answer) : answer;
    },
  });
}

/** Where an array was asked for, an error is its only element. */
function inArray(answer: WholeAnswer): WholeAnswer {
  return answer.body.startsWith('{') ? { ...answer, body: `[${answer.body}]` } : answer;
}
