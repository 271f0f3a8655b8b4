import { type ModelParameters, NO_PARAMETERS } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import {
  adjustEffort,
  adjustLimit,
  adjustSampling,
  adjustStops,
  adjustUserId,
  type SamplingField,
} from '../../request/adjust-values.ts';
import { type Adjustment, adjusted, NO_ADJUSTMENTS, valueAt } from '../../request/adjustment.ts';
import { adjustThinking } from './adjust-thinking.ts';
import { isForcedChoice } from './tool-choice.ts';

/** For models that the catalogue does not describe. */
export const DEFAULT_PARAMETERS: ModelParameters = {
  sampling: 'one_of_temperature_top_p',
  maxTemperature: 1,
  maxUserIdLength: 256,
  whitespaceStops: false,
};

const SAMPLING: readonly SamplingField[] = [
  { path: ['temperature'], kind: 'temperature', defaultValue: 1 },
  { path: ['top_p'], kind: 'top_p', defaultValue: 1 },
  { path: ['top_k'], kind: 'other', defaultValue: undefined },
];

/** The changes without which a model would reject a request. */
export function adjustmentsOf(body: JsonRecord, parameters: ModelParameters): readonly Adjustment[] {
  if (parameters === NO_PARAMETERS) return NO_ADJUSTMENTS;
  const limit = adjustLimit(body, ['max_tokens'], parameters);
  const thinking = adjustThinking(adjusted(body, limit), parameters);
  const hasEffort = thinking.some(({ path }) => path[0] === 'output_config');
  return [
    ...limit,
    ...thinking,
    ...(hasEffort ? [] : adjustEffort(body, ['output_config', 'effort'], parameters)),
    ...adjustSampling(body, SAMPLING, parameters, undefined),
    ...adjustUserId(body, ['metadata', 'user_id'], parameters),
    ...adjustStops(body, ['stop_sequences'], parameters),
    ...adjustToolChoice(body, parameters),
  ];
}

/** A forced call becomes the model's choice. */
function adjustToolChoice(body: JsonRecord, { forcedCalls }: ModelParameters): Adjustment[] {
  const choice = valueAt(body, ['tool_choice']);
  if (forcedCalls !== false || !isForcedChoice(choice)) return [];
  const { disable_parallel_tool_use: single } = choice;
  const value = { type: 'auto', ...(single !== undefined && { disable_parallel_tool_use: single }) };
  return [
    { path: ['tool_choice'], value, message: 'sent as "auto", since this model cannot be forced to call a tool' },
  ];
}
