import { EFFORT_NAMES, SAMPLING_NAMES, THINKING_CONTROL_NAMES } from '@tollgate/common/catalogue-names';
import { type Betas, type Parameters, Sampling, type Thinking } from '@tollgate/proto/router';

/** The parameters of a deployment for display; empty when none is known. */
export function parametersText(parameters: Parameters | undefined): string {
  if (parameters === undefined) return '';
  const { sampling, efforts, thinking, ...others } = parameters;
  const values: readonly (readonly [string, unknown])[] = [
    ['sampling', sampling === Sampling.UNSPECIFIED ? undefined : SAMPLING_NAMES[sampling]],
    ['max_temperature', others.maxTemperature],
    ['efforts', efforts === undefined ? undefined : `[${efforts.values.map((one) => EFFORT_NAMES[one]).join(' ')}]`],
    ['thinking', thinkingText(thinking)],
    ['min_output_tokens', others.minOutputTokens],
    ['max_user_id_length', others.maxUserIdLength],
    ['whitespace_stops', others.whitespaceStops],
    ['json_schema', others.jsonSchema],
    ['reasoning_content', others.reasoningContent],
    ['extra_content', others.extraContent],
    ['signed_calls', others.signedCalls],
    ['media_in_results', others.mediaInResults],
    ['forced_calls', others.forcedCalls],
    ['unsigned_thinking', others.unsignedThinking],
  ];
  return values.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])).join(', ');
}

function thinkingText(thinking: Thinking | undefined): string | undefined {
  if (thinking === undefined) return undefined;
  const { control, minBudgetTokens: min, maxBudgetTokens: max, canDisable, betweenTools } = thinking;
  const range = [...(min === undefined ? [] : [`from ${min}`]), ...(max === undefined ? [] : [`to ${max}`])];
  const off = canDisable ? [] : [betweenTools ? 'off by between_tools' : 'always on'];
  return [`by ${THINKING_CONTROL_NAMES[control]}`, ...range, ...off].join(' ');
}

/** The betas of a provider for display; empty for those that ingresses know. */
export function betasText(betas: Betas | undefined): string {
  if (betas === undefined) return '';
  const listed = betas.list.map(
    ({ name, fields, accepted }) =>
      `${accepted ? name : `not ${name}`}${fields.length > 0 ? ` (${fields.join(' ')})` : ''}`,
  );
  return [betas.forwardsUnlisted ? 'forward' : 'strict', ...listed].join(', ');
}
