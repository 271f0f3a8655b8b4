import { expect } from 'vitest';
import { countAt, textOr } from '../support/json.ts';
import { PNG } from '../support/messages.ts';
import type { FrameworkCell } from './cell.ts';
import type { ScenarioId } from './cells.ts';
import type { ProgramError } from './program.ts';
import { reasoningOverTwoTurns } from './reasoning.ts';

/** A text with a directive that sets the behaviour of the simulated provider. */
export function simulated(text: string, controls: Record<string, unknown>): string {
  return `${text} [simulate ${JSON.stringify(controls)}]`;
}

const SENTENCE = 'Ships at a distance have every man’s wish on board. 🚢 Gültig, 有効, صالح.';

async function callTools(cell: FrameworkCell, cities: readonly string[]): Promise<void> {
  const toolCalls = cities.map((city) => ({ name: 'get_weather', arguments: JSON.stringify({ city }) }));
  const result = await cell.complete({
    prompts: [{ text: simulated('Weather?', { tool_calls: toolCalls }) }],
    toolOutput: 'Sun in {city}.',
  });
  expect(result.texts).toEqual([expect.stringMatching(/\w{3}/)]);
  expect(result.toolInputs).toHaveLength(cities.length);
  for (const city of cities) expect(result.toolInputs).toContainEqual({ city });
  expect(cell.exchanges).toHaveLength(2);
  const { calls, results } = cell.received;
  expect(calls.map((call) => [call.name, call.input])).toEqual(cities.map((city) => ['get_weather', { city }]));
  expect(results.map((each) => each.callId)).toEqual(calls.map((call) => call.id));
  for (const [index, city] of cities.entries()) expect(results[index]?.text).toContain(`Sun in ${city}.`);
}

/** A request that fails for good: the program learns why, and the framework does not try again. */
async function fails(
  cell: FrameworkCell,
  text: string,
  given: { key?: string },
  status: number,
): Promise<ProgramError | null> {
  const { error } = await cell.run({ prompts: [{ text }] }, given);
  expect(error, 'an error').not.toBeNull();
  const statuses = cell.exchanges.map((exchange) => exchange.status);
  expect(statuses, 'not retried').toEqual([status]);
  if (status === 200) return error;
  const reported = textOr(JSON.parse(cell.exchanges[0]?.errorBody ?? 'null'), 'error', 'message');
  expect(reported).not.toBe('');
  if (cell.isLost) expect(error?.message).not.toContain(reported);
  else expect(error?.message, 'the message of the gateway').toContain(reported);
  expect(error?.status).toBe(status);
  return error;
}

export const SCENARIO_RUNS: Readonly<Record<ScenarioId, (cell: FrameworkCell) => Promise<void>>> = {
  chat: async (cell) => {
    const prompts = [
      { text: simulated('First.', { text: SENTENCE }) },
      { text: simulated('Second.', { text: 'Two.' }) },
    ];
    const result = await cell.complete({ instructions: 'Be brief.', prompts });
    expect(result.texts).toEqual([SENTENCE, 'Two.']);
    if (cell.facts.mode === 'stream') expect(result.pieces).toBeGreaterThan(5);
    expect(cell.received.system).toEqual(['Be brief.']);
    expect(cell.received.turns).toMatchObject([
      { role: 'user', text: expect.stringContaining('First.') },
      { role: 'assistant', text: SENTENCE },
      { role: 'user', text: expect.stringContaining('Second.') },
    ]);
    const record = await cell.record();
    const exact = { input: countAt(record, 'usage', 'input'), output: countAt(record, 'usage', 'output') };
    if (cell.isLost) expect(result.usage).not.toEqual(exact);
    else expect(result.usage).toEqual(exact);
  },
  tools: (cell) => callTools(cell, ['Ulm']),
  'parallel-tools': (cell) => callTools(cell, ['Ulm', 'Zürich']),
  image: async (cell) => {
    const text = simulated('What is it?', { text: 'A point.' });
    const result = await cell.complete({ prompts: [{ text, image: PNG }] });
    expect(result.texts).toEqual(['A point.']);
    expect(cell.received.images).toEqual([{ source: PNG.data, mediaType: PNG.mediaType }]);
  },
  structured: async (cell) => {
    // The simulated provider makes an object by the schema, wherever the framework puts that.
    const result = await cell.complete({ prompts: [{ text: 'Weather in Ulm?' }], object: true });
    expect(result.object).toEqual({ city: expect.any(String), warm: expect.any(Boolean) });
    expect(cell.exchanges).toHaveLength(1);
  },
  reasoning: reasoningOverTwoTurns,
  abort: async (cell) => {
    const text = simulated('Talk.', { output_tokens: 2_000, token_delay_ms: 4 });
    const result = await cell.run({ prompts: [{ text }], abortAfter: 5 });
    expect(result.error).toBeNull();
    expect(cell.exchanges).toHaveLength(1);
    await expect.poll(() => cell.calls.map((call) => call.state), { timeout: 10_000 }).toEqual(['aborted']);
    const record = await cell.record();
    expect(textOr(record, 'status')).toBe('cancelled');
    expect(countAt(record, 'usage', 'output')).toBeGreaterThanOrEqual(5);
    expect(countAt(record, 'usage', 'output')).toBeLessThan(1_500);
    expect(Number(textOr(record, 'cost'))).toBeGreaterThan(0);
  },
  'broken-stream': async (cell) => {
    const text = simulated('Talk.', { text: 'word '.repeat(40), error_after_events: 12 });
    const result = await cell.run({ prompts: [{ text }] }, { model: cell.fragileModel });
    expect(result.pieces).toBeGreaterThan(0);
    if (cell.isLost) expect(result.error).toBeNull();
    else expect(result.error, 'an error, not a short text').not.toBeNull();
  },
  error: async (cell) => {
    await fails(cell, simulated('Hello.', { fail: 400 }), {}, 400);
  },
  'long-prompt': async (cell) => {
    // OpenAI reports it within the stream of a response.
    const { client, mode } = cell.facts;
    const status = client.protocol === 'openai-responses' && mode === 'stream' ? 200 : 400;
    const error = await fails(cell, simulated('Hello.', { fail: 'context_length_exceeded' }), {}, status);
    // LangChain has a class for it, which its middleware acts on; its package for Google in JavaScript lacks it.
    const hasClass = client.framework.startsWith('langchain') && client.id !== 'langchain-js/google';
    if (hasClass) expect(error?.kinds).toContain('ContextOverflowError');
    else expect(error?.message).toMatch(/context|too long|maximum/i);
  },
  'no-credit': async (cell) => {
    const poor = await cell.facts.gateway.accounts.create(0n);
    // The contract's table: 402 on the native endpoints, 400 on those of OpenAI's protocols.
    const status = cell.facts.client.protocol.startsWith('openai') ? 400 : 402;
    const error = await fails(cell, 'Hello.', { key: poor.key }, status);
    if (!cell.isLost) expect(error?.message).toMatch(/credit|balance/i);
  },
};
