import { withPromptCache } from '../controls/prompt-cache.ts';
import type { Controls } from '../controls/schema.ts';
import { controlsOf, respond } from '../delivery/respond.ts';
import type { StreamForm } from '../delivery/stream.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { hasRule } from '../model/model-rules.ts';
import { type Plan, pacedTokens, planOutput } from '../model/plan.ts';
import { withWeb } from '../model/web.ts';
import { chunkEvents } from '../openai-chat/chunks.ts';
import { completionJson } from '../openai-chat/completion.ts';
import { invalidRequest, lengthRefusal, renderFailure, SERVER_ERROR } from '../openai-chat/errors.ts';
import { parseRequest } from '../openai-chat/request.ts';

const ERROR_EVENT = { data: JSON.stringify({ error: SERVER_ERROR }), delayMs: 0 };
const FORM: StreamForm = {
  contentType: 'text/event-stream; charset=utf-8',
  headers: {},
  errorEvent: () => ERROR_EVENT,
};

/** POST /v1/chat/completions */
export async function handleChatCompletions(exchange: Exchange): Promise<void> {
  const read = parseRequest(exchange.text());
  if (!read.ok) return exchange.send(read.response);
  const { request } = read;
  const result = controlsOf(request.simulate, request.conversation);
  if (!result.ok) return exchange.send(invalidRequest(result.message, 'simulate', 'invalid_value'));
  const controls = withPromptCache(exchange, 'openai-chat', request.conversation, result.controls);
  const planned = planOutput('openai-chat', request.conversation, exchange.body, controls);
  const plan = hasRule(planned.model, 'search') ? searched(planned, controls) : planned;
  await respond(exchange, controls, {
    json: () => completionJson(plan, request, controls),
    headers: { 'x-request-id': `req_sim${plan.digest.slice(0, 26)}`, 'openai-version': '2020-10-01' },
    stream: request.stream ? { form: FORM, events: () => chunkEvents(plan, request, controls) } : undefined,
    tokens: pacedTokens(plan),
    prompt: { tokens: plan.usage.input, refuse: lengthRefusal },
    renderFailure,
  });
}

/** A response that cites what a search found. OpenAI's usage counts neither the search nor its findings. */
function searched(plan: Plan, controls: Controls): Plan {
  const { citations } = withWeb(plan, [{ kind: 'search', forced: true }], controls);
  return { ...plan, citations };
}
