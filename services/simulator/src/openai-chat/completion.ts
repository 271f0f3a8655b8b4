import type { Controls } from '../controls/schema.ts';
import { CREATED, NO_USAGE, type Plan } from '../model/plan.ts';
import { finishReason } from './finish-reason.ts';
import { tokenLogprob } from './logprobs.ts';
import { annotations, reasoningDetails, shownReasoning, toolCallId } from './message.ts';
import type { ChatRequest } from './request.ts';
import { servedTier } from './service-tier.ts';
import { usageJson } from './usage.ts';

/** The JSON of a buffered chat completion. */
export function completionJson(plan: Plan, request: ChatRequest, controls: Controls): string {
  const top = request.conversation.settings.logprobs;
  const logprobs =
    top === undefined
      ? null
      : { content: plan.pieces.map((piece, index) => tokenLogprob(piece, index, top)), refusal: null };
  const message = messageJson(plan, controls);
  const choices = Array.from({ length: plan.n }, (_, index) => ({
    index,
    message,
    logprobs,
    finish_reason: finishReason(plan.finish),
  }));
  return JSON.stringify({
    id: `chatcmpl-sim${plan.digest.slice(0, 26)}`,
    object: 'chat.completion',
    created: CREATED,
    model: plan.model,
    choices,
    ...(controls.usage === 'omit' ? {} : { usage: usageJson(controls.usage === 'zero' ? NO_USAGE : plan.usage) }),
    ...servedTier(request.conversation.settings.serviceTier, controls),
    system_fingerprint: 'fp_simulated',
  });
}

function messageJson(plan: Plan, controls: Controls) {
  const toolCalls = plan.toolCalls.map((call, index) => {
    const id = toolCallId(plan, index);
    const input = call.arguments.join('');
    return call.custom
      ? { id, type: 'custom', custom: { name: call.name, input } }
      : { id, type: 'function', function: { name: call.name, arguments: input } };
  });
  const text = plan.pieces.join('');
  const hasNoText = plan.refused || (toolCalls.length > 0 && plan.pieces.length === 0);
  const reasoning = shownReasoning(plan).join('');
  const details = reasoningDetails(plan, controls);
  return {
    role: 'assistant',
    content: hasNoText ? null : text,
    refusal: plan.refused ? text : null,
    annotations: annotations(plan),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  };
}
