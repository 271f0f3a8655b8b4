import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { clientRequest, MINIMAL, pathParameters } from '../../testing/translate/clients.ts';
import type { ProtocolName } from '../canonical/protocol-name.ts';
import { type ModelParameters, NO_PARAMETERS } from '../interface/parameters.ts';
import type { JsonRecord } from '../json/record.ts';
import { runToEnd } from '../lists/stages.ts';
import { protocolOf } from '../registry.ts';

const LONG_ID = 'user_'.padEnd(150, 'x');
const SHORT_ID = hash('sha256', LONG_ID);

interface Case {
  readonly name: string;
  readonly protocol: ProtocolName;
  readonly parameters: ModelParameters;
  readonly fields: JsonRecord;
  /** The fields as the provider gets them. */
  readonly sent: JsonRecord;
  /** Fields of the warnings. */
  readonly warned: readonly string[];
}

const of =
  (protocol: ProtocolName) =>
  (
    name: string,
    parameters: ModelParameters,
    fields: JsonRecord,
    sent: JsonRecord,
    warned: readonly string[],
  ): Case => ({
    name,
    protocol,
    parameters,
    fields,
    sent,
    warned,
  });

const chat = of('openai-chat');
const responses = of('openai-responses');
const messages = of('anthropic-messages');
const gemini = of('gemini');

const EFFORT = { control: 'effort', canDisable: true } as const;
const ALWAYS = { control: 'effort', canDisable: false } as const;
const BETWEEN_TOOLS = { control: 'effort', canDisable: false, betweenTools: true } as const;
const BUDGET = { control: 'budget', canDisable: true, minBudgetTokens: 1_024, maxBudgetTokens: 2_000 } as const;
const TOOL = { name: 'f', input_schema: { type: 'object' } };
const STEERED = { temperature: 0.5, top_p: 0.9 };

const CHAT: readonly Case[] = [
  chat('a high temperature', { maxTemperature: 1 }, { temperature: 1.5 }, { temperature: 1 }, ['temperature']),
  chat('sampling', { sampling: 'default_only' }, { ...STEERED, presence_penalty: 0 }, {}, ['temperature', 'top_p']),
  chat('default sampling', { sampling: 'default_only' }, { temperature: 1, top_p: 1 }, {}, []),
  chat('both', { sampling: 'one_of_temperature_top_p' }, STEERED, { temperature: 0.5 }, ['top_p']),
  chat(
    'a default beside top_p',
    { sampling: 'one_of_temperature_top_p' },
    { temperature: 1, top_p: 0.9 },
    { top_p: 0.9 },
    [],
  ),
  chat('sampling while reasoning', { sampling: 'without_reasoning' }, { temperature: 0.5 }, {}, ['temperature']),
  chat(
    'sampling without reasoning',
    { sampling: 'without_reasoning' },
    { temperature: 0.5, reasoning_effort: 'none' },
    { temperature: 0.5, reasoning_effort: 'none' },
    [],
  ),
  chat('an effort', { efforts: ['low', 'high'] }, { reasoning_effort: 'medium' }, { reasoning_effort: 'low' }, [
    'reasoning_effort',
  ]),
  chat('a high effort', { efforts: ['none', 'low'] }, { reasoning_effort: 'max' }, { reasoning_effort: 'low' }, [
    'reasoning_effort',
  ]),
  chat('no effort', { efforts: ['low'] }, { reasoning_effort: 'none' }, { reasoning_effort: 'low' }, [
    'reasoning_effort',
  ]),
  chat('an effort for a model without', { efforts: [] }, { reasoning_effort: 'low' }, {}, ['reasoning_effort']),
  chat('the effort none for a model without', { efforts: [] }, { reasoning_effort: 'none' }, {}, []),
  chat('a small limit', { minOutputTokens: 16 }, { max_tokens: 1 }, { max_tokens: 16 }, ['max_tokens']),
  chat(
    'long ids',
    { maxUserIdLength: 64 },
    { user: LONG_ID, safety_identifier: 'me' },
    { user: SHORT_ID, safety_identifier: 'me' },
    ['user'],
  ),
  chat('stops', { whitespaceStops: false }, { stop: ['\n', 'END', ' '] }, { stop: ['END'] }, ['stop']),
  chat('one stop', { whitespaceStops: false }, { stop: '\n\n' }, {}, ['stop']),
];

const RESPONSES: readonly Case[] = [
  responses('a small limit', { minOutputTokens: 16 }, { max_output_tokens: 1 }, { max_output_tokens: 16 }, [
    'max_output_tokens',
  ]),
  responses('a long id', { maxUserIdLength: 64 }, { safety_identifier: LONG_ID }, { safety_identifier: SHORT_ID }, [
    'safety_identifier',
  ]),
  responses(
    'an effort',
    { efforts: ['low'] },
    { reasoning: { effort: 'xhigh', summary: 'auto' } },
    { reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'] },
    ['reasoning.effort'],
  ),
  responses(
    'reasoning of a model without',
    { efforts: [] },
    { reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'] },
    { include: [] },
    ['reasoning'],
  ),
  responses('sampling', { sampling: 'default_only' }, STEERED, {}, ['temperature', 'top_p']),
];

const MESSAGES: readonly Case[] = [
  messages('both', { sampling: 'one_of_temperature_top_p' }, STEERED, { temperature: 0.5 }, ['top_p']),
  messages('sampling', { sampling: 'default_only' }, { ...STEERED, top_k: 4 }, {}, ['temperature', 'top_k', 'top_p']),
  messages('stops', { whitespaceStops: false }, { stop_sequences: ['\n'] }, {}, ['stop_sequences']),
  messages(
    'a long id',
    { maxUserIdLength: 64 },
    { metadata: { user_id: LONG_ID } },
    { metadata: { user_id: SHORT_ID } },
    ['metadata.user_id'],
  ),
  messages(
    'a large budget',
    { thinking: BUDGET },
    { thinking: { type: 'enabled', budget_tokens: 3_000, display: 'omitted' } },
    { thinking: { type: 'enabled', budget_tokens: 2_000, display: 'omitted' } },
    ['thinking.budget_tokens'],
  ),
  messages(
    'a budget not below the limit',
    { thinking: { ...BUDGET, maxBudgetTokens: 50_000 } },
    { thinking: { type: 'enabled', budget_tokens: 4_096 } },
    { thinking: { type: 'enabled', budget_tokens: 4_095 } },
    ['thinking.budget_tokens'],
  ),
  messages(
    'a budget with a limit too small for any',
    { thinking: BUDGET },
    { max_tokens: 1_024, thinking: { type: 'enabled', budget_tokens: 1_024 } },
    { max_tokens: 1_024, thinking: { type: 'disabled' } },
    ['thinking'],
  ),
  messages(
    'a budget for a model with efforts',
    { thinking: EFFORT, efforts: ['low', 'medium'] },
    { thinking: { type: 'enabled', budget_tokens: 31_999, display: 'summarized' }, max_tokens: 32_000 },
    { thinking: { type: 'adaptive', display: 'summarized' }, max_tokens: 32_000, output_config: { effort: 'medium' } },
    ['thinking'],
  ),
  messages(
    'adaptive thinking for a model with budgets',
    { thinking: BUDGET, efforts: [] },
    { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
    { thinking: { type: 'enabled', budget_tokens: 2_000 }, output_config: {} },
    ['thinking', 'output_config.effort'],
  ),
  messages(
    'adaptive thinking together with a forced call, which excludes a budget',
    { thinking: BUDGET, efforts: [] },
    { thinking: { type: 'adaptive' }, tool_choice: { type: 'any' } },
    { tool_choice: { type: 'any' } },
    ['thinking'],
  ),
  messages(
    'thinking that cannot be switched off',
    { thinking: ALWAYS, efforts: ['medium', 'high'] },
    { thinking: { type: 'disabled' } },
    { output_config: { effort: 'medium' } },
    ['thinking'],
  ),
  messages(
    'thinking that can only be limited to between calls',
    { thinking: BETWEEN_TOOLS },
    { thinking: { type: 'disabled' }, output_config: { effort: 'xhigh' } },
    { thinking: { type: 'between_tools' }, output_config: { effort: 'high' } },
    ['thinking', 'output_config.effort'],
  ),
  messages(
    'thinking between calls where it cannot be set',
    { thinking: EFFORT },
    { thinking: { type: 'between_tools' } },
    { thinking: { type: 'disabled' } },
    ['thinking'],
  ),
  messages(
    'thinking between calls of a model that always thinks',
    { thinking: ALWAYS, efforts: ['low', 'high'] },
    { thinking: { type: 'between_tools' } },
    { output_config: { effort: 'low' } },
    ['thinking'],
  ),
  messages(
    'a forced call',
    { forcedCalls: false },
    { tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true }, tools: [TOOL] },
    { tool_choice: { type: 'auto', disable_parallel_tool_use: true }, tools: [TOOL] },
    ['tool_choice'],
  ),
  messages(
    'an effort',
    { efforts: ['low', 'high'] },
    { output_config: { effort: 'max' } },
    { output_config: { effort: 'high' } },
    ['output_config.effort'],
  ),
];

const config = (fields: JsonRecord): JsonRecord => ({ generationConfig: fields });
const thinking = (fields: JsonRecord): JsonRecord => config({ thinkingConfig: fields });
const THINKING = ['generationConfig.thinkingConfig'];

const GEMINI: readonly Case[] = [
  gemini(
    'sampling',
    { sampling: 'default_only' },
    config({ temperature: 0.2, topP: 0.95, seed: 1 }),
    config({ seed: 1 }),
    ['generationConfig.temperature'],
  ),
  gemini('a small limit', { minOutputTokens: 4 }, config({ maxOutputTokens: 1 }), config({ maxOutputTokens: 4 }), [
    'generationConfig.maxOutputTokens',
  ]),
  gemini(
    'a large budget',
    { thinking: BUDGET },
    thinking({ thinkingBudget: 9_000 }),
    thinking({ thinkingBudget: 2_000 }),
    THINKING,
  ),
  gemini(
    'a model that decides',
    { thinking: BUDGET },
    thinking({ thinkingBudget: -1 }),
    thinking({ thinkingBudget: -1 }),
    [],
  ),
  gemini(
    'thinking switched off',
    { thinking: BUDGET },
    thinking({ thinkingBudget: 0 }),
    thinking({ thinkingBudget: 0 }),
    [],
  ),
  gemini(
    'a budget for a model with levels',
    { thinking: ALWAYS, efforts: ['low', 'high'] },
    thinking({ thinkingBudget: 9_000, includeThoughts: true }),
    thinking({ includeThoughts: true, thinkingLevel: 'HIGH' }),
    THINKING,
  ),
  gemini(
    'a level for a model with budgets',
    { thinking: BUDGET },
    thinking({ thinkingLevel: 'low' }),
    thinking({ thinkingBudget: 2_000 }),
    THINKING,
  ),
  gemini(
    'a level',
    { efforts: ['low', 'high'] },
    thinking({ thinkingLevel: 'MINIMAL' }),
    thinking({ thinkingLevel: 'LOW' }),
    THINKING,
  ),
  {
    ...gemini('a level in snake case', { efforts: ['low'] }, {}, {}, ['generation_config.thinking_config']),
    fields: { generation_config: { thinking_config: { thinking_level: 'high' } } },
    sent: { generation_config: { thinking_config: { thinkingLevel: 'LOW' } } },
  },
];

const ALL = [...CHAT, ...RESPONSES, ...MESSAGES, ...GEMINI];

function forward({ protocol, fields }: Case, parameters: ModelParameters) {
  const request = clientRequest(protocol, { ...MINIMAL[protocol], ...fields });
  const dispatch = { upstreamModel: 'model-here', outputTokens: undefined, parameters };
  return {
    text: request.editRequest(dispatch).toString(),
    warned: request.adjustmentWarnings(dispatch).map(({ path }) => path),
  };
}

/** What passthrough itself adds to requests of the protocol. */
const ADDED: JsonRecord = { store: false };

describe('what a model would reject, in a request of its own protocol', () => {
  test.each(ALL)('$protocol: $name', (each) => {
    const { text, warned } = forward(each, each.parameters);
    const added = each.protocol === 'openai-responses' ? ADDED : {};
    expect(JSON.parse(text)).toEqual({ ...MINIMAL[each.protocol], ...each.sent, ...added });
    expect(warned.toSorted()).toEqual([...each.warned].sort());
  });

  test.each(ALL)('$protocol: $name, unchanged for a model that the catalogue does not describe', (each) => {
    const { text, warned } = forward(each, NO_PARAMETERS);
    expect(JSON.parse(text)).toMatchObject({ ...MINIMAL[each.protocol], ...each.fields });
    expect(warned).toEqual([]);
  });

  test('is spliced in place, and all other bytes stay', () => {
    const body =
      '{ "model":"model-here", "messages":[{"role":"user","content":"Hi"}], "temperature": 1.50,"x":1.0,"stop":[" ","a"] }';
    const edited = forwardBytes(body, { maxTemperature: 1, whitespaceStops: false });
    expect(edited).toBe(body.replace('1.50', '1').replace('[" ","a"]', '["a"]'));
    expect(forwardBytes(body, NO_PARAMETERS)).toBe(body);
  });

  test('includes fields of earlier messages that the provider does not accept', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const assistant = {
      role: 'assistant',
      content: 'a',
      reasoning_content: 'hm',
      tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'CiQB' } } }],
    };
    const fields = { messages: [{ role: 'user', content: 'Hi' }, assistant] };
    const each = chat('', {}, fields, {}, []);
    const kept = forward(each, { reasoningHistory: 'reasoning_content', extraContent: true });
    expect(JSON.parse(kept.text)).toMatchObject(fields);
    expect(kept.warned).toEqual([]);
    const { text, warned } = forward(each, { reasoningHistory: 'none', extraContent: false });
    expect(JSON.parse(text).messages[1]).toEqual({ role: 'assistant', content: 'a', tool_calls: [call] });
    expect(warned).toEqual(['messages[1].reasoning_content', 'messages[1].tool_calls']);
  });

  test('includes fields whose beta is not sent', () => {
    const request = clientRequest('anthropic-messages', {
      ...MINIMAL['anthropic-messages'],
      context_management: { edits: [] },
      output_config: { effort: 'low', task_budget: { type: 'tokens', total: 20_000 } },
      tools: [{ name: 'f', input_schema: { type: 'object' }, input_examples: [{}] }],
    });
    const leftOut = ['context_management', 'output_config.task_budget', 'tools[].input_examples', 'speed'];
    const dispatch = { upstreamModel: 'model-here', outputTokens: undefined, leftOut };
    expect(JSON.parse(request.editRequest(dispatch).toString())).toEqual({
      ...MINIMAL['anthropic-messages'],
      output_config: { effort: 'low' },
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
    });
    expect(request.adjustmentWarnings(dispatch).map(({ path }) => path)).toEqual(leftOut.slice(0, 3));
  });

  test('counts the limit that the balance allows', () => {
    const request = clientRequest('anthropic-messages', {
      ...MINIMAL['anthropic-messages'],
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    });
    const dispatch = { upstreamModel: 'model-here', outputTokens: 1_500, parameters: { thinking: BUDGET } };
    expect(JSON.parse(request.editRequest(dispatch).toString())).toMatchObject({
      max_tokens: 1_500,
      thinking: { budget_tokens: 1_499 },
    });
  });
});

function forwardBytes(body: string, parameters: ModelParameters): string {
  const result = runToEnd(protocolOf('openai-chat').parseRequest(Buffer.from(body), pathParameters(false)));
  if (!result.ok) throw new Error(result.error.message);
  return result.request.editRequest({ upstreamModel: 'model-here', outputTokens: undefined, parameters }).toString();
}
