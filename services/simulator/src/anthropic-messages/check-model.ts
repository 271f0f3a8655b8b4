import { hasRule } from '../model/model-rules.ts';
import type { CountBody, MessagesBody } from './schema.ts';

/** What only some models reject. */
export function modelFault(body: CountBody | MessagesBody): string | undefined {
  const { model } = body;
  return (
    prefillFault(body, model) ?? samplingFault(body, model) ?? thinkingFault(body, model) ?? choiceFault(body, model)
  );
}

/** https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6#prefill-removal */
function prefillFault({ messages }: CountBody | MessagesBody, model: string): string | undefined {
  if (!hasRule(model, 'adaptive') || messages.at(-1)?.role !== 'assistant') return undefined;
  return 'This model does not support assistant message prefill. The conversation must end with a user message.';
}

/** https://github.com/skydiscover-ai/skydiscover/issues/15 and https://github.com/Comfy-Org/ComfyUI/issues/13923 */
function samplingFault(body: CountBody | MessagesBody, model: string): string | undefined {
  if (!('max_tokens' in body)) return undefined;
  const { temperature, top_p, top_k } = body as MessagesBody;
  if (hasRule(model, 'one-sampler') && temperature !== undefined && top_p !== undefined) {
    return '`temperature` and `top_p` cannot both be specified for this model. Please use only one.';
  }
  if (!hasRule(model, 'adaptive')) return undefined;
  if (temperature !== undefined && temperature !== 1) return '`temperature` is deprecated for this model.';
  if (top_p !== undefined && top_p < 0.95) return '`top_p` is deprecated for this model.';
  return top_k === undefined ? undefined : '`top_k` is deprecated for this model.';
}

/** https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5#forced-tool-use-is-not-supported */
function choiceFault({ tool_choice: choice }: CountBody | MessagesBody, model: string): string | undefined {
  const isForced = choice?.type === 'any' || choice?.type === 'tool';
  if (!isForced || !hasRule(model, 'no-forced-calls')) return undefined;
  return 'tool_choice: type "tool" and "any" are not supported for this model.';
}

/** https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5 and .../build-with-claude/adaptive-thinking */
function thinkingFault(
  { thinking, output_config: config }: CountBody | MessagesBody,
  model: string,
): string | undefined {
  const type = thinking?.type;
  if (hasRule(model, 'between-tools')) {
    const fault = betweenToolsFault(type, config?.effort);
    if (fault !== undefined) return fault;
  }
  const isRemoved =
    (type === 'enabled' && hasRule(model, 'adaptive')) ||
    (type === 'disabled' && hasRule(model, 'always-thinks')) ||
    (type === 'between_tools' && hasRule(model, 'adaptive') && !hasRule(model, 'between-tools'));
  if (isRemoved) {
    return (
      `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and ` +
      '"output_config.effort" to control thinking behavior.'
    );
  }
  if (!hasRule(model, 'budget')) return undefined;
  if (type === 'adaptive') return 'adaptive thinking is not supported on this model';
  return config?.effort == null ? undefined : 'This model does not support the effort parameter.';
}

/**
 * https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5#turn-off-up-front-thinking. The guide does not
 * have the message about the effort.
 */
function betweenToolsFault(type: string | undefined, effort: string | null | undefined): string | undefined {
  if (type === 'disabled') {
    return (
      'To turn thinking off on this model, send "thinking": {"type": "between_tools"} instead of {"type": "disabled"}. The ' +
      'model does not think before responding. The short updates it writes between tool calls come back as thinking blocks.'
    );
  }
  if (type !== 'between_tools' || (effort !== 'xhigh' && effort !== 'max')) return undefined;
  return `thinking.type "between_tools" is not supported with the effort "${effort}".`;
}
