import { EFFORT_NAMES, SAMPLING_NAMES, THINKING_CONTROL_NAMES } from '@tollgate/common/catalogue-names';
import type { Parameters, Thinking } from '@tollgate/proto/router';
import { type ModelParameters, NO_PARAMETERS, type ThinkingParameters } from '@tollgate/protocols/interface/parameters';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What a deployment's model accepts; the same object for all deployments without any parameter. */
export function modelParametersOf(wire: Parameters | undefined): ModelParameters {
  if (wire === undefined) return NO_PARAMETERS;
  const { sampling, efforts, thinking, ...plain } = wire;
  const parameters: Mutable<ModelParameters> = {};
  const known = SAMPLING_NAMES[sampling];
  if (known !== 'unspecified') parameters.sampling = known;
  if (efforts !== undefined) {
    const names = efforts.values.map((effort) => EFFORT_NAMES[effort]);
    parameters.efforts = names.filter((name) => name !== 'unspecified');
  }
  const rules = thinkingOf(thinking);
  if (rules !== undefined) parameters.thinking = rules;
  Object.assign(parameters, given(plain));
  return Object.keys(parameters).length === 0 ? NO_PARAMETERS : parameters;
}

function thinkingOf(wire: Thinking | undefined): ThinkingParameters | undefined {
  if (wire === undefined) return undefined;
  const control = THINKING_CONTROL_NAMES[wire.control];
  if (control === 'unspecified') return undefined;
  const { minBudgetTokens, maxBudgetTokens, canDisable, betweenTools } = wire;
  return { control, canDisable, betweenTools, ...given({ minBudgetTokens, maxBudgetTokens }) };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value. */
function given<T extends object>(members: T): Given<T> {
  const kept: Given<T> = {};
  for (const key in members) {
    const value = members[key];
    if (isGiven(value)) kept[key] = value;
  }
  return kept;
}

function isGiven<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}
