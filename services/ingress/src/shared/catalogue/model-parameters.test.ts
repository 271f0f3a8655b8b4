import {
  Effort,
  OutputLimitName,
  Parameters,
  ReasoningHistory,
  ReasoningSwitch,
  Sampling,
  ThinkingControl,
  ToolCallIds,
} from '@tollgate/proto/router';
import { NO_PARAMETERS } from '@tollgate/protocols/interface/parameters';
import { expect, it } from 'vitest';
import { modelParametersOf } from './model-parameters.ts';

it('has every parameter that the router sends, under the names of the protocols', () => {
  const wire = Parameters.fromPartial({
    sampling: Sampling.WITHOUT_REASONING,
    maxTemperature: 1.5,
    efforts: { values: [Effort.NONE, Effort.XHIGH] },
    thinking: { control: ThinkingControl.BUDGET, maxBudgetTokens: 2_000, canDisable: false, betweenTools: true },
    minOutputTokens: 16,
    maxUserIdLength: 64,
    whitespaceStops: false,
    jsonSchema: false,
    extraContent: false,
    signedCalls: true,
    mediaInResults: false,
    forcedCalls: false,
    unsignedThinking: true,
    prefill: false,
    toolSearch: false,
    outputLimit: OutputLimitName.MAX_TOKENS,
    developerRole: false,
    lateSystemMessages: false,
    repeatedRoles: false,
    contentParts: false,
    nullContent: false,
    reasoningHistory: ReasoningHistory.REASONING_DETAILS,
    reasoningSwitch: ReasoningSwitch.ENABLE_THINKING,
    toolCallIds: ToolCallIds.NINE_ALPHANUMERIC,
    freeArguments: false,
    unsupported: ['seed', 'tools[].function.strict'],
    addedFields: '{"reasoning_format":"parsed"}',
  });
  expect(modelParametersOf(Parameters.decode(Parameters.encode(wire).finish()))).toEqual({
    sampling: 'without_reasoning',
    maxTemperature: 1.5,
    efforts: ['none', 'xhigh'],
    thinking: { control: 'budget', maxBudgetTokens: 2_000, canDisable: false, betweenTools: true },
    minOutputTokens: 16,
    maxUserIdLength: 64,
    whitespaceStops: false,
    jsonSchema: false,
    extraContent: false,
    signedCalls: true,
    mediaInResults: false,
    forcedCalls: false,
    unsignedThinking: true,
    prefill: false,
    toolSearch: false,
    outputLimit: 'max_tokens',
    developerRole: false,
    lateSystemMessages: false,
    repeatedRoles: false,
    contentParts: false,
    nullContent: false,
    reasoningHistory: 'reasoning_details',
    reasoningSwitch: 'enable_thinking',
    toolCallIds: 'nine_alphanumeric',
    freeArguments: false,
    unsupported: ['seed', 'tools[].function.strict'],
    addedFields: { reasoning_format: 'parsed' },
  });
});

it('distinguishes a model without efforts from one whose efforts are not known', () => {
  expect(modelParametersOf(Parameters.fromPartial({ efforts: { values: [] } }))).toEqual({ efforts: [] });
});

it('is one and the same object for all deployments of which nothing is known', () => {
  expect(modelParametersOf(undefined)).toBe(NO_PARAMETERS);
  expect(modelParametersOf(Parameters.fromPartial({}))).toBe(NO_PARAMETERS);
});

it('ignores values of a newer router', () => {
  const wire = Parameters.fromPartial({ thinking: { control: ThinkingControl.UNSPECIFIED, canDisable: true } });
  expect(modelParametersOf(wire)).toBe(NO_PARAMETERS);
});
