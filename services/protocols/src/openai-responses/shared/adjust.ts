import { type ModelParameters, NO_PARAMETERS } from '../../interface/parameters.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import {
  adjustEffort,
  adjustLimit,
  adjustSampling,
  adjustUserId,
  type SamplingField,
} from '../../request/adjust-values.ts';
import { type Adjustment, adjusted, NO_ADJUSTMENTS, valueAt } from '../../request/adjustment.ts';
import { leaveOutUnsupported } from '../../request/unsupported-fields.ts';

/**
 * For models that the catalogue does not describe. OpenAI rejects smaller limits: "Invalid 'max_output_tokens': integer below
 * minimum value. Expected a value >= 16".
 */
export const DEFAULT_PARAMETERS: ModelParameters = {
  prefill: false,
  maxTemperature: 2,
  maxUserIdLength: 64,
  minOutputTokens: 16,
};

const SAMPLING: readonly SamplingField[] = [
  { path: ['temperature'], kind: 'temperature', defaultValue: 1 },
  { path: ['top_p'], kind: 'top_p', defaultValue: 1 },
  { path: ['presence_penalty'], kind: 'other', defaultValue: 0 },
  { path: ['frequency_penalty'], kind: 'other', defaultValue: 0 },
];

/** The changes without which a model would reject a request. */
export function adjustmentsOf(body: JsonRecord, parameters: ModelParameters): readonly Adjustment[] {
  if (parameters === NO_PARAMETERS) return NO_ADJUSTMENTS;
  const values = [
    ...adjustSampling(body, SAMPLING, parameters, valueAt(body, ['reasoning', 'effort'])),
    ...adjustReasoning(body, parameters),
    ...adjustLimit(body, ['max_output_tokens'], parameters),
    ...adjustUserId(body, ['safety_identifier'], parameters),
    ...adjustUserId(body, ['user'], parameters),
  ];
  return [...values, ...leaveOutUnsupported(adjusted(body, values), parameters)];
}

/** A model without efforts does not reason, and rejects all settings of reasoning. */
function adjustReasoning(body: JsonRecord, parameters: ModelParameters): Adjustment[] {
  const reasoning = valueAt(body, ['reasoning']);
  if (!isRecord(reasoning)) return [];
  if (parameters.efforts?.length !== 0) return adjustEffort(body, ['reasoning', 'effort'], parameters);
  const { effort } = reasoning;
  const isAsked = effort !== 'none' && Object.values(reasoning).some((value) => value !== null);
  const message = isAsked ? 'left out, since this model does not reason' : undefined;
  return [{ path: ['reasoning'], value: undefined, message }];
}
