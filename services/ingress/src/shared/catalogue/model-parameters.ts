import {
  EFFORT_NAMES,
  OUTPUT_LIMIT_NAMES,
  REASONING_HISTORY_NAMES,
  REASONING_SWITCH_NAMES,
  SAMPLING_NAMES,
  THINKING_CONTROL_NAMES,
  TOOL_CALL_ID_NAMES,
} from '@tollgate/common/catalogue-names';
import type { Parameters, Thinking } from '@tollgate/proto/router';
import { type ModelParameters, NO_PARAMETERS, type ThinkingParameters } from '@tollgate/protocols/interface/parameters';
import { isRecord, type JsonRecord, parseJson } from '@tollgate/protocols/json/record';

/** What a deployment's model accepts; the same object for all deployments without any parameter. */
export function modelParametersOf(wire: Parameters | undefined): ModelParameters {
  if (wire === undefined) return NO_PARAMETERS;
  const {
    sampling,
    efforts,
    thinking,
    outputLimit,
    reasoningHistory,
    reasoningSwitch,
    toolCallIds,
    unsupported,
    addedFields,
    ...plain
  } = wire;
  const parameters: ModelParameters = given({
    ...plain,
    sampling: known(SAMPLING_NAMES[sampling]),
    efforts: efforts?.values.flatMap((effort) => known(EFFORT_NAMES[effort]) ?? []),
    thinking: thinkingOf(thinking),
    outputLimit: known(OUTPUT_LIMIT_NAMES[outputLimit]),
    reasoningHistory: known(REASONING_HISTORY_NAMES[reasoningHistory]),
    reasoningSwitch: known(REASONING_SWITCH_NAMES[reasoningSwitch]),
    toolCallIds: known(TOOL_CALL_ID_NAMES[toolCallIds]),
    unsupported: unsupported.length === 0 ? undefined : unsupported,
    addedFields: addedOf(addedFields),
  });
  return Object.keys(parameters).length === 0 ? NO_PARAMETERS : parameters;
}

/** Undefined for values that are not set, or not known here. */
function known<T extends string>(name: T | undefined): Exclude<T, 'unspecified'> | undefined {
  return name !== undefined && isSpecified(name) ? name : undefined;
}

function isSpecified<T extends string>(name: T): name is Exclude<T, 'unspecified'> {
  return name !== 'unspecified';
}

function addedOf(json: string): JsonRecord | undefined {
  const fields = json === '' ? undefined : parseJson(json);
  return isRecord(fields) ? fields : undefined;
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
