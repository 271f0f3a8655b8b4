import { type ModelParameters, NO_PARAMETERS } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import {
  adjustEffort,
  adjustLimit,
  adjustSampling,
  adjustUserId,
  type SamplingField,
} from '../../request/adjust-values.ts';
import { type Adjustment, adjusted, NO_ADJUSTMENTS, valueAt } from '../../request/adjustment.ts';
import { divideStops, KEPT_STOPS } from '../../request/divide-stops.ts';
import { adjustDialect, hasOffSwitch } from './adjust-dialect.ts';

/** For models that the catalogue does not describe. */
export const DEFAULT_PARAMETERS: ModelParameters = {
  prefill: false,
  maxTemperature: 2,
  maxUserIdLength: 64,
  extraContent: false,
};

const SAMPLING: readonly SamplingField[] = [
  { path: ['temperature'], kind: 'temperature', defaultValue: 1 },
  { path: ['top_p'], kind: 'top_p', defaultValue: 1 },
  { path: ['top_k'], kind: 'other', defaultValue: undefined },
  { path: ['presence_penalty'], kind: 'other', defaultValue: 0 },
  { path: ['frequency_penalty'], kind: 'other', defaultValue: 0 },
];

/**
 * The changes without which a model would reject a request.
 *
 * @param budgetTokens how much a translated request is to think, if it said so
 */
export function adjustmentsOf(
  body: JsonRecord,
  parameters: ModelParameters,
  budgetTokens?: number,
): readonly Adjustment[] {
  if (parameters === NO_PARAMETERS) return NO_ADJUSTMENTS;
  const values = [
    ...adjustSampling(body, SAMPLING, parameters, valueAt(body, ['reasoning_effort'])),
    ...effortAdjustments(body, parameters),
    ...adjustLimit(body, ['max_completion_tokens'], parameters),
    ...adjustLimit(body, ['max_tokens'], parameters),
    ...adjustUserId(body, ['safety_identifier'], parameters),
    ...adjustUserId(body, ['user'], parameters),
    ...adjustStops(body, parameters),
  ];
  return [...values, ...adjustDialect(adjusted(body, values), parameters, budgetTokens)];
}

/** Stop words that the provider does not take are kept to by the gateway (see keptStops). */
function adjustStops(body: JsonRecord, parameters: ModelParameters): Adjustment[] {
  const stops = stopsOf(body);
  const { sent, kept } = divideStops(stops, Number.POSITIVE_INFINITY, parameters);
  if (sent.length === stops.length) return [];
  const message = kept.length === 0 ? undefined : KEPT_STOPS;
  return [{ path: ['stop'], value: sent.length === 0 ? undefined : sent, message }];
}

/** All stop words of a request. */
export function stopsOf(body: JsonRecord): readonly string[] {
  const stop = valueAt(body, ['stop']);
  const stops: readonly unknown[] = Array.isArray(stop) ? stop : [stop];
  return stops.filter((one) => typeof one === 'string');
}

/** A field that only switches reasoning needs no effort that the model knows. */
function effortAdjustments(body: JsonRecord, parameters: ModelParameters): Adjustment[] {
  const { efforts } = parameters;
  const isSwitched = efforts?.length === 0 || valueAt(body, ['reasoning_effort']) === 'none';
  return isSwitched && hasOffSwitch(parameters) ? [] : adjustEffort(body, ['reasoning_effort'], parameters);
}
