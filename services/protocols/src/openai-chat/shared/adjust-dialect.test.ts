import { describe, expect, test } from 'vitest';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import { adjusted } from '../../request/adjustment.ts';
import { rejectionOf } from '../../request/unsupported-fields.ts';
import { adjustmentsOf } from './adjust.ts';

function adjust(body: JsonRecord, parameters: ModelParameters, budget?: number) {
  const adjustments = adjustmentsOf(body, parameters, budget);
  return {
    body: adjusted(body, adjustments),
    warned: adjustments.flatMap(({ message, path }) => (message ? [path[0]] : [])),
  };
}

describe('the output limit', () => {
  test.each([
    [{ max_completion_tokens: 9 }, 'max_tokens', { max_tokens: 9 }],
    [{ max_tokens: 9 }, 'max_completion_tokens', { max_completion_tokens: 9 }],
    [{ max_tokens: 9 }, 'max_tokens', { max_tokens: 9 }],
    [{ max_tokens: 8, max_completion_tokens: 9 }, 'max_tokens', { max_tokens: 9 }],
    [{ max_tokens: 8, max_completion_tokens: 9 }, 'max_completion_tokens', { max_completion_tokens: 9 }],
  ] as const)('%j has the name %s', (body, outputLimit, expected) => {
    expect(adjust(body, { outputLimit })).toEqual({ body: expected, warned: [] });
  });

  test('is raised to the smallest one under its new name', () => {
    expect(adjust({ max_completion_tokens: 5 }, { outputLimit: 'max_tokens', minOutputTokens: 16 }).body).toEqual({
      max_tokens: 16,
    });
  });
});

describe('reasoning is switched', () => {
  test.each([
    ['reasoning', {}, 'high', { reasoning: { effort: 'high' } }],
    ['reasoning', {}, 'none', { reasoning: { effort: 'none' } }],
    ['thinking', {}, 'high', { thinking: { type: 'enabled' } }],
    ['thinking', { efforts: [] }, 'low', { thinking: { type: 'enabled' } }],
    ['thinking', { efforts: ['high', 'max'] }, 'low', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    ['thinking', { efforts: ['high', 'max'] }, 'none', { thinking: { type: 'disabled' } }],
    ['enable_thinking', { efforts: [] }, 'none', { enable_thinking: false }],
    ['chat_template_kwargs', {}, 'none', { chat_template_kwargs: { enable_thinking: false } }],
    ['reasoning_effort', { efforts: ['low'] }, 'high', { reasoning_effort: 'low' }],
  ] as const)('by %s with %j for the effort %s', (reasoningSwitch, parameters, effort, expected) => {
    expect(adjust({ reasoning_effort: effort }, { reasoningSwitch, ...parameters }).body).toEqual(expected);
  });

  test('by a budget where the provider has one', () => {
    const body = { reasoning_effort: 'medium' };
    expect(adjust(body, { reasoningSwitch: 'enable_thinking' }, 2_000).body).toEqual({
      enable_thinking: true,
      thinking_budget: 2_000,
    });
    expect(adjust(body, { reasoningSwitch: 'reasoning' }, 2_000).body).toEqual({ reasoning: { max_tokens: 2_000 } });
  });

  test('by the client itself if it sets the field of the provider', () => {
    const thinking = { type: 'disabled' };
    expect(adjust({ thinking, reasoning_effort: 'high' }, { reasoningSwitch: 'thinking' }).body).toEqual({ thinking });
  });
});

describe('a field that the provider does not take', () => {
  const unsupported = ['seed', 'n', 'parallel_tool_calls', 'logit_bias', 'stream_options', 'logprobs'];

  test('is left out with a warning, without one where it states the default', () => {
    const body = { seed: 5, n: 1, parallel_tool_calls: true, logit_bias: {}, logprobs: false, x: 1 };
    expect(adjust(body, { unsupported })).toEqual({ body: { x: 1 }, warned: ['seed'] });
    expect(rejectionOf(body, { unsupported })).toBeUndefined();
  });

  test.each([{ n: 2 }, { logit_bias: { '5': -100 } }, { logprobs: true }])(
    'refuses %j, which would change the response',
    (body) => {
      expect(rejectionOf(body, { unsupported })?.path).toBe(Object.keys(body)[0]);
    },
  );
});

test('a call that cannot be forced is left to the model', () => {
  const forced = { type: 'function', function: { name: 'f' } };
  for (const choice of ['required', forced]) {
    expect(adjust({ tool_choice: choice }, { forcedCalls: false })).toEqual({
      body: { tool_choice: 'auto' },
      warned: ['tool_choice'],
    });
  }
  expect(adjust({ tool_choice: 'none' }, { forcedCalls: false })).toEqual({
    body: { tool_choice: 'none' },
    warned: [],
  });
});

test('a schema is left to the instruction where the provider enforces none', () => {
  const format = { type: 'json_schema', json_schema: { name: 'a', schema: {} } };
  expect(adjust({ response_format: format }, { jsonSchema: false })).toEqual({
    body: { response_format: { type: 'json_object' } },
    warned: ['response_format'],
  });
});

test('fields are added unless the client sets them', () => {
  const addedFields = { reasoning_format: 'parsed' };
  expect(adjust({}, { addedFields }).body).toEqual({ reasoning_format: 'parsed' });
  expect(adjust({ reasoning_format: 'hidden' }, { addedFields }).body).toEqual({ reasoning_format: 'hidden' });
});

test('a named tool is the only one where it cannot be named', () => {
  const tools = ['f', 'g'].map((name) => ({ type: 'function', function: { name } }));
  const choice = { type: 'function', function: { name: 'g' } };
  const forced = (more: readonly object[]) => adjust({ tools: more, tool_choice: choice }, { namedCalls: false });
  expect(forced(tools)).toEqual({ body: { tools: tools.slice(1), tool_choice: 'required' }, warned: ['tools'] });
  expect(forced(tools.slice(1))).toEqual({ body: { tools: tools.slice(1), tool_choice: 'required' }, warned: [] });
  const auto = { tools, tool_choice: 'auto' };
  expect(adjust(auto, { namedCalls: false }).body).toEqual(auto);
});
