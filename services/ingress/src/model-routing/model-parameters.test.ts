import { Effort, Parameters, Sampling, ThinkingControl } from '@tollgate/proto/router';
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
    reasoningContent: true,
    extraContent: false,
    signedCalls: true,
    mediaInResults: false,
    forcedCalls: false,
    unsignedThinking: true,
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
    reasoningContent: true,
    extraContent: false,
    signedCalls: true,
    mediaInResults: false,
    forcedCalls: false,
    unsignedThinking: true,
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
