import { hasRule } from '../model/model-rules.ts';
import type { Fault } from './check.ts';
import { dialectFault } from './check-dialect.ts';
import type { ChatBody } from './schema.ts';

/** Efforts of models with the rule `reasoning`. */
export const EFFORTS: readonly string[] = ['low', 'medium', 'high'];

/** What only some models reject. */
export function modelFault(body: ChatBody): Fault | undefined {
  const { model } = body;
  const foreign = dialectFault(body);
  if (foreign !== undefined) return foreign;
  if (body.web_search_options != null && !hasRule(model, 'search') && !model.includes('+as-')) {
    return { message: 'Web search options not supported with this model.', param: 'web_search_options', code: null };
  }
  if (hasRule(model, 'reasoning')) return samplingFault(body) ?? effortFault(body.reasoning_effort, model);
  if (hasRule(model, 'no-reasoning') && body.reasoning_effort != null) {
    const message = "Unsupported parameter: 'reasoning_effort' is not supported with this model.";
    return { message, param: 'reasoning_effort', code: 'unsupported_parameter' };
  }
  return hasRule(model, 'plain-messages') ? messageFault(body) : undefined;
}

/** https://platform.openai.com/docs/guides/reasoning, and https://github.com/vercel/ai/issues/10932 */
function samplingFault(body: ChatBody): Fault | undefined {
  const { temperature } = body;
  if (temperature != null && temperature !== 1) {
    const text = `Unsupported value: 'temperature' does not support ${temperature} with this model.`;
    return {
      message: `${text} Only the default (1) value is supported.`,
      param: 'temperature',
      code: 'unsupported_value',
    };
  }
  for (const field of ['top_p', 'presence_penalty', 'frequency_penalty'] as const) {
    if (body[field] == null || body[field] === (field === 'top_p' ? 1 : 0)) continue;
    const message = `Unsupported parameter: '${field}' is not supported with this model.`;
    return { message, param: field, code: 'unsupported_parameter' };
  }
  return undefined;
}

/** https://github.com/openai/openai-agents-python/issues/2089 */
function effortFault(effort: string | null | undefined, model: string): Fault | undefined {
  if (effort == null || EFFORTS.includes(effort)) return undefined;
  return { message: unsupportedEffort(effort, model), param: 'reasoning_effort', code: 'unsupported_value' };
}

export function unsupportedEffort(effort: string, model: string): string {
  return (
    `Unsupported value: '${effort}' is not supported with the '${model}' model. ` +
    "Supported values are: 'low', 'medium', and 'high'."
  );
}

/** As Groq rejects them: https://github.com/NousResearch/hermes-agent/issues/11089 */
function messageFault(body: ChatBody): Fault | undefined {
  for (const [index, message] of body.messages.entries()) {
    if (message.role !== 'assistant') continue;
    const isReasoning = message.reasoning_content != null || message.reasoning_details != null;
    const isExtra = (message.tool_calls ?? []).some((call) => call.extra_content != null);
    if (!isReasoning && !isExtra) continue;
    const path = `messages.${index}`;
    const field = isReasoning ? 'reasoning_content' : 'extra_content';
    const text = `for 'role:assistant' the following must be satisfied[('${path}' : property '${field}' is unsupported)]`;
    return { message: `'${path}' : ${text}`, param: null, code: null };
  }
  return undefined;
}
