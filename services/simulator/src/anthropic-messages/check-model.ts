import { hasRule } from '../model/model-rules.ts';
import type { CountBody, MessagesBody } from './schema.ts';

/** What only some models reject. */
export function modelFault(body: CountBody | MessagesBody): string | undefined {
  const { model } = body;
  return samplingFault(body, model) ?? thinkingFault(body, model);
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

/** https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5 and .../build-with-claude/adaptive-thinking */
function thinkingFault(
  { thinking, output_config: config }: CountBody | MessagesBody,
  model: string,
): string | undefined {
  const type = thinking?.type;
  const isRemoved =
    (type === 'enabled' && hasRule(model, 'adaptive')) || (type === 'disabled' && hasRule(model, 'always-thinks'));
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
