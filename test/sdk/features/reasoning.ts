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

/** A little thought, as the client's protocol says it. */
function little(cell: Cell): Pick<Ask, 'reasoning' | 'maxTokens'> {
  const reasoning = cell.client === 'anthropic-messages' ? { budget: LOW_BUDGET } : { effort: 'low' as const };
  return { reasoning, maxTokens: 8_000 };
}

function askedFor({ cell, response }: Outcome): void {
  const { reasoning } = cell.received(response);
  expect([{ effort: 'low' }, { budget: LOW_BUDGET }]).toContainEqual(reasoning);
}

/** Lets the model think and call a tool, then carries its response and the result back. */
async function roundTrip(cell: Cell, controls: Record<string, unknown>): Promise<SdkResponse> {
  const first = user('Weather?', { ...controls, ...CALL });
  const thought = await cell.ask({ ...little(cell), tools: [TOOL], turns: [first] });
  expect(thought.error).toBeNull();
  const results = thought.calls.map((call) => ({ callId: call.id, name: call.name, output: 'Sun.' }));
  const turns: Ask['turns'] = [
    first,
    { role: 'carried', ref: thought.ref },
    { role: 'tool', results },
    user('And?', { text: 'Done.' }),
  ];
  // A user's words after results are no turn of their own in every protocol; the next question is.
  return cell.ask({ ...little(cell), tools: [TOOL], turns });
}

/** The provider got back what it had sealed, and could open it. */
function cameBack({ cell, response }: Outcome): void {
  expect(response).toMatchObject({ text: 'Done.' });
  const received = cell.received(response);
  expect(received.calls).toMatchObject([{ name: 'get_weather', input: { city: 'Ulm' } }]);
  if (cell.upstream === 'openai-chat') {
    expect(received.thoughts.join('')).toBe(THOUGHTS);
    return;
  }
  expect(received.seals).not.toEqual([]);
  for (const seal of received.seals) expect(Buffer.from(seal, 'base64').toString('utf8')).toContain(THOUGHTS);
}

export const REASONING: Readonly<Record<string, Run>> = {
  reasoning: {
    ask: (cell) => cell.ask({ ...little(cell), turns: [user('Weather?', { reasoning: THOUGHTS, text: 'Sun.' })] }),
    check: (outcome) => {
      askedFor(outcome);
      const { cell, response } = outcome;
      expect(response.text).toBe('Sun.');
      // A chat request cannot ask for thoughts to be returned, and Responses and Gemini return them only on request.
      const isAsked = cell.client !== 'openai-chat' || ['openai-chat', 'anthropic-messages'].includes(cell.upstream);
      if (isAsked) expect(response.thoughts).toBe(THOUGHTS);
      if (cell.upstream !== 'openai-chat') expect(response.seals).not.toEqual([]);
      expect(response.usage?.reasoning).toBe(Math.ceil(THOUGHTS.length / 4));
    },
  },
  'reasoning-round-trip': {
    ask: (cell) => roundTrip(cell, { reasoning: THOUGHTS }),
    check: cameBack,
  },
  'reasoning-sealed': {
    ask: (cell) => roundTrip(cell, { reasoning: THOUGHTS, reasoning_redacted: true }),
    check: cameBack,
  },
  'reasoning-off': {
    ask: (cell) => cell.ask({ reasoning: 'off', turns: [user('Weather?', { text: 'Sun.' })] }),
    check: ({ cell, response }) => {
      expect(response).toMatchObject({ text: 'Sun.', thoughts: '' });
      // Messages does not think unless requested.
      const expected = cell.upstream === 'anthropic-messages' ? ['off', undefined] : ['off'];
      expect(expected).toContain(cell.received(response).reasoning);
    },
  },
};
