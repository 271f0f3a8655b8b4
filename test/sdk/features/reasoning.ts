import { expect } from 'vitest';
import type { Ask, SdkResponse } from '../scenario.ts';
import type { Cell } from '../support/cell.ts';
import { user } from '../support/messages.ts';
import type { Outcome, Run } from './run.ts';

const THOUGHTS = 'Rain was forecast, so I look it up.';
const TOOL = {
  name: 'get_weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const CALL = { tool_calls: [{ name: 'get_weather', arguments: '{"city":"Ulm"}' }] };
const LOW_BUDGET = 2_048;

/** Low reasoning, as the client's protocol expresses it. */
function lowReasoning(cell: Cell): Pick<Ask, 'reasoning' | 'maxTokens'> {
  const reasoning = cell.client === 'anthropic-messages' ? { budget: LOW_BUDGET } : { effort: 'low' as const };
  return { reasoning, maxTokens: 8_000 };
}

function expectReasoningRequested({ cell, response }: Outcome): void {
  const { reasoning } = cell.received(response);
  expect([{ effort: 'low' }, { budget: LOW_BUDGET }]).toContainEqual(reasoning);
}

/** Lets the model reason and call a tool, then sends its response and the result back. */
async function roundTrip(cell: Cell, controls: Record<string, unknown>): Promise<SdkResponse> {
  const first = user('Weather?', { ...controls, ...CALL });
  const thought = await cell.ask({ ...lowReasoning(cell), tools: [TOOL], turns: [first] });
  expect(thought.error).toBeNull();
  const results = thought.calls.map((call) => ({ callId: call.id, name: call.name, output: 'Sun.' }));
  const turns: Ask['turns'] = [
    first,
    { role: 'carried', ref: thought.ref },
    { role: 'tool', results },
    user('And?', { text: 'Done.' }),
  ];
  // Not every protocol has a separate user turn after results.
  return cell.ask({ ...lowReasoning(cell), tools: [TOOL], turns });
}

/** The provider received its own signatures, unchanged. */
function expectSignaturesReturned({ cell, response }: Outcome): void {
  expect(response).toMatchObject({ text: 'Done.' });
  const received = cell.received(response);
  expect(received.calls).toMatchObject([{ name: 'get_weather', input: { city: 'Ulm' } }]);
  if (cell.upstream === 'openai-chat') {
    expect(received.thoughts.join('')).toBe(THOUGHTS);
    return;
  }
  expect(received.signatures).not.toEqual([]);
  for (const signature of received.signatures)
    expect(Buffer.from(signature, 'base64').toString('utf8')).toContain(THOUGHTS);
}

export const REASONING: Readonly<Record<string, Run>> = {
  reasoning: {
    ask: (cell) =>
      cell.ask({ ...lowReasoning(cell), turns: [user('Weather?', { reasoning: THOUGHTS, text: 'Sun.' })] }),
    check: (outcome) => {
      expectReasoningRequested(outcome);
      const { cell, response } = outcome;
      expect(response.text).toBe('Sun.');
      // A chat request cannot request that thoughts are returned, and Responses and Gemini return them only on request.
      const isAsked = cell.client !== 'openai-chat' || ['openai-chat', 'anthropic-messages'].includes(cell.upstream);
      if (isAsked) expect(response.thoughts).toBe(THOUGHTS);
      if (cell.upstream !== 'openai-chat') expect(response.signatures).not.toEqual([]);
      expect(response.usage?.reasoning).toBe(Math.ceil(THOUGHTS.length / 4));
    },
  },
  'reasoning-round-trip': {
    ask: (cell) => roundTrip(cell, { reasoning: THOUGHTS }),
    check: expectSignaturesReturned,
  },
  'reasoning-encrypted': {
    ask: (cell) => roundTrip(cell, { reasoning: THOUGHTS, reasoning_redacted: true }),
    check: expectSignaturesReturned,
  },
  'reasoning-off': {
    ask: (cell) => cell.ask({ reasoning: 'off', turns: [user('Weather?', { text: 'Sun.' })] }),
    check: ({ cell, response }) => {
      expect(response).toMatchObject({ text: 'Sun.', thoughts: '' });
      // Messages has no reasoning unless requested.
      const expected = cell.upstream === 'anthropic-messages' ? ['off', undefined] : ['off'];
      expect(expected).toContain(cell.received(response).reasoning);
    },
  },
};
