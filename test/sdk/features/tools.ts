import { expect } from 'vitest';
import type { Ask, SdkResponse, ToolSpec } from '../scenario.ts';
import type { Cell } from '../support/cell.ts';
import { PNG, user } from '../support/messages.ts';
import { FINISH, type Outcome, type Run } from './run.ts';

const WEATHER: ToolSpec = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Its name.' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const CLOCK: ToolSpec = {
  name: 'get_time',
  description: 'Tells the time.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};
const TOOLS = [WEATHER, CLOCK];
const TWO_CALLS = {
  tool_calls: [
    { name: 'get_weather', arguments: '{"city":"Ulm","note":"a \\"quoted\\" place"}' },
    { name: 'get_weather', arguments: '{"city":"Zürich","big":12345678901}' },
  ],
};
const INPUTS = [
  { city: 'Ulm', note: 'a "quoted" place' },
  { city: 'Zürich', big: 12345678901 },
];
const ONE_CALL = { tool_calls: [{ name: 'get_weather', arguments: '{"city":"Ulm"}' }] };

function expectCalls({ cell, response }: Outcome, names: string[], inputs: unknown[]): void {
  expect(response.calls.map((call) => call.name)).toEqual(names);
  expect(response.calls.map((call) => call.input)).toEqual(inputs);
  // Gemini may leave the ids out, and a client of its own protocol sees that.
  if (cell.client !== 'gemini' || cell.upstream !== 'gemini') {
    expect(new Set(response.calls.map((call) => call.id)).size).toBe(names.length);
    for (const call of response.calls) expect(call.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  }
  expect(response.finish).toBe(FINISH.calls[cell.client]);
}

/** Lets the model call tools, then sends its response and the results back. */
async function roundTrip(
  cell: Cell,
  controls: Record<string, unknown>,
  result: (call: SdkResponse['calls'][number], index: number) => object,
): Promise<SdkResponse> {
  const first = user('Weather?', controls);
  const called = await cell.ask({ tools: TOOLS, turns: [first] });
  expect(called.error).toBeNull();
  const results = called.calls.map((call, index) => ({
    callId: call.id,
    name: call.name,
    output: `Result ${index}. [simulate {"text":"It is fine."}]`,
    ...result(call, index),
  }));
  return cell.ask({
    tools: TOOLS,
    turns: [first, { role: 'carried', ref: called.ref }, { role: 'tool', results }],
  });
}

function expectResults({ cell, response, expected }: Outcome, calls: number, isError = false): void {
  expect(response).toMatchObject({ text: 'It is fine.', finish: FINISH.stop[cell.client] });
  const received = cell.received(response);
  expect(received.calls.map((call) => call.name)).toEqual(Array.from({ length: calls }, () => 'get_weather'));
  expect(received.results).toHaveLength(calls);
  for (const [index, result] of received.results.entries()) {
    expect(result.text).toContain(`Result ${index}.`);
    // Gemini pairs results with calls by name and order where there are no ids.
    if (cell.upstream === 'gemini') expect(result.name).toBe('get_weather');
    expect(result.callId).toBe(received.calls[index]?.id);
    if (expected.kind === 'works') expect(result.isError).toBe(isError);
  }
}

function choice(toolChoice: NonNullable<Ask['toolChoice']>): Run {
  return {
    ask: (cell) => {
      const controls = toolChoice === 'none' ? { text: 'No tool.' } : ONE_CALL;
      return cell.ask({ tools: TOOLS, toolChoice, turns: [user('Weather?', controls)] });
    },
    check: (outcome) => {
      const { cell, response } = outcome;
      if (toolChoice === 'none') expect(response).toMatchObject({ text: 'No tool.', calls: [] });
      else expectCalls(outcome, ['get_weather'], [{ city: 'Ulm' }]);
      const received = cell.received(response);
      const isAllowed = typeof toolChoice === 'object' && 'allowed' in toolChoice;
      if (isAllowed && cell.upstream === 'anthropic-messages') {
        expect(received.toolChoice).toBe('required');
        expect(received.tools.map((tool) => tool.name)).toEqual(toolChoice.allowed);
      } else {
        expect(received.toolChoice).toEqual(toolChoice);
        // With all tools forbidden, sending none has the same effect.
        if (toolChoice !== 'none') expect(received.tools).toHaveLength(isAllowed ? 3 : 2);
      }
    },
  };
}

const ALLOWED = choice({ allowed: ['get_weather', 'get_time'] });

export const TOOL_FEATURES: Readonly<Record<string, Run>> = {
  'tool-calls': {
    ask: (cell) => cell.ask({ tools: TOOLS, turns: [user('Weather?', TWO_CALLS)] }),
    check: (outcome) => {
      expectCalls(outcome, ['get_weather', 'get_weather'], INPUTS);
      const { cell, response } = outcome;
      // Gemini sends each call in one piece, the others stream it.
      if (cell.mode === 'stream' && cell.upstream !== 'gemini' && cell.client !== 'gemini') {
        expect(response.inputPieces).toBeGreaterThan(4);
      }
      expect(cell.received(response).tools).toMatchObject([
        { name: 'get_weather', description: WEATHER.description, parameters: WEATHER.parameters, strict: false },
        { name: 'get_time', description: CLOCK.description, strict: false },
      ]);
    },
  },
  'text-and-call': {
    ask: (cell) => cell.ask({ tools: TOOLS, turns: [user('Weather?', { text: 'I look it up.', ...ONE_CALL })] }),
    check: (outcome) => {
      expectCalls(outcome, ['get_weather'], [{ city: 'Ulm' }]);
      expect(outcome.response.text).toBe('I look it up.');
    },
  },
  'call-without-input': {
    ask: (cell) => cell.ask({ tools: TOOLS, turns: [user('Time?', { tool_calls: [{ name: 'get_time' }] })] }),
    check: (outcome) => expectCalls(outcome, ['get_time'], [{}]),
  },
  'calls-without-ids': {
    ask: (cell) =>
      roundTrip(cell, { ...TWO_CALLS, tool_call_ids: false }, (call) => {
        // A client of the same protocol sees that there is no id.
        if (cell.client !== 'gemini') expect(call.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        return {};
      }),
    check: ({ cell, response }) => {
      expect(response.text).toBe('It is fine.');
      const { results } = cell.received(response);
      expect(results.map((result) => [result.name, result.text.slice(0, 9)])).toEqual([
        ['get_weather', 'Result 0.'],
        ['get_weather', 'Result 1.'],
      ]);
    },
  },
  'tool-round-trip': {
    ask: (cell) => roundTrip(cell, TWO_CALLS, () => ({})),
    check: (outcome) => {
      expectResults(outcome, 2);
      expect(outcome.cell.received(outcome.response).calls.map((call) => call.input)).toEqual(INPUTS);
    },
  },
  'tool-error': {
    ask: (cell) => roundTrip(cell, ONE_CALL, () => ({ isError: true })),
    check: (outcome) => expectResults(outcome, 1, true),
  },
  'tool-image': {
    ask: (cell) => roundTrip(cell, ONE_CALL, () => ({ image: PNG })),
    check: (outcome) => {
      expectResults(outcome, 1);
      const { results, images } = outcome.cell.received(outcome.response);
      const shown = outcome.cell.upstream === 'openai-chat' ? images : results[0]?.images;
      expect(shown).toEqual([{ source: PNG.data, mediaType: PNG.mediaType }]);
    },
  },
  'choice-required': choice('required'),
  'choice-tool': choice({ tool: 'get_weather' }),
  'choice-none': choice('none'),
  'choice-allowed': {
    ask: (cell) => {
      const other = { ...CLOCK, name: 'get_date' };
      const toolChoice = { allowed: ['get_weather', 'get_time'] };
      return cell.ask({ tools: [...TOOLS, other], toolChoice, turns: [user('Weather?', ONE_CALL)] });
    },
    check: (outcome) => ALLOWED.check(outcome),
  },
  'one-call': {
    ask: (cell) => cell.ask({ tools: TOOLS, singleCall: true, turns: [user('Weather?', TWO_CALLS)] }),
    check: (outcome) => {
      expectCalls(outcome, ['get_weather'], INPUTS.slice(0, 1));
      expect(outcome.cell.received(outcome.response).singleCall).toBe(outcome.expected.kind === 'works');
    },
  },
  'strict-tool': {
    ask: (cell) => cell.ask({ tools: [{ ...WEATHER, strict: true }], turns: [user('Weather?', ONE_CALL)] }),
    check: (outcome) => {
      expectCalls(outcome, ['get_weather'], [{ city: 'Ulm' }]);
      const [tool] = outcome.cell.received(outcome.response).tools;
      expect(tool).toMatchObject({ name: 'get_weather', strict: outcome.expected.kind === 'works' });
    },
  },
};
