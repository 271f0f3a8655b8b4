import {
  EFFORT_NAMES,
  OUTPUT_LIMIT_NAMES,
  REASONING_HISTORY_NAMES,
  REASONING_SWITCH_NAMES,
  SAMPLING_NAMES,
  THINKING_CONTROL_NAMES,
  TOOL_CALL_ID_NAMES,
} from '@tollgate/common/catalogue-names';
import type { Betas, Parameters, Thinking } from '@tollgate/proto/router';

/** The parameters of a deployment for display; empty when none is known. */
export function parametersText(parameters: Parameters | undefined): string {
  if (parameters === undefined) return '';
  const { sampling, efforts, thinking, ...others } = parameters;
  const values: readonly (readonly [string, unknown])[] = [
    ['sampling', nameOf(SAMPLING_NAMES[sampling])],
    ['max_temperature', others.maxTemperature],
    ['efforts', efforts === undefined ? undefined : `[${efforts.values.map((one) => EFFORT_NAMES[one]).join(' ')}]`],
    ['thinking', thinkingText(thinking)],
    ['min_output_tokens', others.minOutputTokens],
    ['max_user_id_length', others.maxUserIdLength],
    ['whitespace_stops', others.whitespaceStops],
    ['json_schema', others.jsonSchema],
    ['extra_content', others.extraContent],
    ['signed_calls', others.signedCalls],
    ['media_in_results', others.mediaInResults],
    ['forced_calls', others.forcedCalls],
    ['named_calls', others.namedCalls],
    ['unsigned_thinking', others.unsignedThinking],
    ['prefill', others.prefill],
    ['tool_search', others.toolSearch],
    ['output_limit', nameOf(OUTPUT_LIMIT_NAMES[others.outputLimit])],
    ['developer_role', others.developerRole],
    ['late_system_messages', others.lateSystemMessages],
    ['repeated_roles', others.repeatedRoles],
    ['content_parts', others.contentParts],
    ['null_content', others.nullContent],
    ['reasoning_history', nameOf(REASONING_HISTORY_NAMES[others.reasoningHistory])],
    ['reasoning_required', others.reasoningRequired],
    ['reasoning_switch', nameOf(REASONING_SWITCH_NAMES[others.reasoningSwitch])],
    ['tool_call_ids', nameOf(TOOL_CALL_ID_NAMES[others.toolCallIds])],
    ['free_arguments', others.freeArguments],
    ['unsupported', others.unsupported.length === 0 ? undefined : `[${others.unsupported.join(' ')}]`],
    ['added_fields', others.addedFields === '' ? undefined : others.addedFields],
  ];
  return values.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])).join(', ');
}

function nameOf(name: string): string | undefined {
  return name === 'unspecified' ? undefined : name;
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
