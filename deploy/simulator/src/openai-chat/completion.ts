import type { Controls } from '../controls/schema.ts';
import { CREATED, type Plan } from './plan.ts';
import { makeUsage } from './usage.ts';

/** The JSON of a whole chat completion. */
export function completionJson(plan: Plan, controls: Controls): string {
  const toolCalls = plan.toolCalls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments.join('') },
  }));
  const message = {
    role: 'assistant',
    content: toolCalls.length > 0 && plan.pieces.length === 0 ? null : plan.pieces.join(''),
    refusal: null,
    annotations: [],
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  };
  const choices = Array.from({ length: plan.n }, (_, index) => ({
    index,
    message,
    logprobs: null,
    finish_reason: plan.finishReason,
  }));
  const usage = controls.usage === 'zero' ? makeUsage(0, 0, 0, 0) : plan.usage;
  return JSON.stringify({
    id: plan.id,
    object: 'chat.completion',
    created: CREATED,
    model: plan.model,
    choices,
    ...(controls.usage === 'omit' ? {} : { usage }),
    service_tier: 'default',
    system_fingerprint: 'fp_simulated',
    ...(controls.padding_bytes === undefined ? {} : { padding: 'x'.repeat(controls.padding_bytes) }),
  });
}
