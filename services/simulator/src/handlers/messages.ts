import { blocksOf, type ThinkingForm } from '../anthropic-messages/blocks.ts';
import { invalidRequest, lengthRefusal, renderFailure } from '../anthropic-messages/errors.ts';
import { messageEvents, messageJson } from '../anthropic-messages/message.ts';
import { parseBody } from '../anthropic-messages/parse-body.ts';
import { conversationOf, thinks, webToolsOf } from '../anthropic-messages/request.ts';
import { messagesSchema } from '../anthropic-messages/schema.ts';
import { processingOf } from '../anthropic-messages/usage.ts';
import { withPromptCache } from '../controls/prompt-cache.ts';
import { controlsOf, respond } from '../delivery/respond.ts';
import type { StreamForm } from '../delivery/stream.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { pacedTokens, planOutput } from '../model/plan.ts';
import { withWeb } from '../model/web.ts';

const ERROR = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const FORM: StreamForm = {
  contentType: 'text/event-stream; charset=utf-8',
  headers: { 'cache-control': 'no-cache' },
  errorEvent: () => ({ name: 'error', data: JSON.stringify(ERROR), delayMs: 0 }),
};

/** POST /v1/messages */
export async function handleMessages(exchange: Exchange): Promise<void> {
  const read = parseBody(exchange, messagesSchema);
  if (!read.ok) return exchange.send(read.response);
  const { body } = read;
  const conversation = conversationOf(body);
  const result = controlsOf(body.simulate, conversation);
  if (!result.ok) return exchange.send(invalidRequest(result.message));
  const controls = withPromptCache(exchange, 'anthropic-messages', conversation, result.controls);
  const planned = planOutput('anthropic-messages', conversation, exchange.body, controls);
  const plan = withWeb(planned, webToolsOf(body), controls);
  const form: ThinkingForm = thinks(body) ? (conversation.settings.showReasoning ? 'shown' : 'omitted') : 'none';
  const blocks = blocksOf(plan, form);
  const processing = processingOf(body, controls);
  await respond(exchange, controls, {
    json: () => messageJson(plan, blocks, processing, controls),
    headers: { 'request-id': `req_sim${plan.digest.slice(0, 20)}` },
    stream:
      body.stream === true
        ? { form: FORM, events: () => messageEvents(plan, blocks, processing, controls) }
        : undefined,
    tokens: pacedTokens(plan),
    prompt: { tokens: planned.usage.input, refuse: lengthRefusal },
    renderFailure,
  });
}
