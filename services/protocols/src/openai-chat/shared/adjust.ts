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
import { type Adjustment, NO_ADJUSTMENTS, valueAt } from '../../request/adjustment.ts';

/** For models that the catalogue does not describe. */
export const DEFAULT_PARAMETERS: ModelParameters = {
  maxTemperature: 2,
  maxUserIdLength: 64,
  reasoningHistory: 'none',
  extraContent: false,
};

const SAMPLING: readonly SamplingField[] = [
  { path: ['temperature'], kind: 'temperature', defaultValue: 1 },
  { path: ['top_p'], kind: 'top_p', defaultValue: 1 },
  { path: ['top_k'], kind: 'other', defaultValue: undefined },
  { path: ['presence_penalty'], kind: 'other', defaultValue: 0 },
  { path: ['frequency_penalty'], kind: 'other', defaultValue: 0 },
];

/** The changes without which a model would reject a request. */
export function adjustmentsOf(body: JsonRecord, parameters: ModelParameters): readonly Adjustment[] {
  if (parameters === NO_PARAMETERS) return NO_ADJUSTMENTS;
  return [
    ...adjustSampling(body, SAMPLING, parameters, valueAt(body, ['reasoning_effort'])),
    ...adjustEffort(body, ['reasoning_effort'], parameters),
    ...adjustLimit(body, ['max_completion_tokens'], parameters),
    ...adjustLimit(body, ['max_tokens'], parameters),
    ...adjustUserId(body, ['safety_identifier'], parameters),
    ...adjustUserId(body, ['user'], parameters),
    ...adjustStops(body, ['stop'], parameters),
  ];
}
