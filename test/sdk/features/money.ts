import { dollars, lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import { expect } from 'vitest';
import type { SdkUsage } from '../scenario.ts';
import { PRICE } from '../support/catalogue.ts';
import { at, countAt, textOr } from '../support/json.ts';
import { PNG, user } from '../support/messages.ts';
import type { Outcome, Run } from './run.ts';

const WORDS = 'Twelve characters and some more of them.';
/** The cost of the conversation, from the first pair. */
let sameCost: string | undefined;

async function checkedCost(outcome: Outcome): Promise<string> {
  const { cell, response } = outcome;
  const record = await cell.record(response);
  const cost = textOr(record, 'cost');
  if (response.cost !== null) expect(response.cost).toBe(Number(cost));
  expect(record).toMatchObject({ status: 'completed', streamed: cell.mode === 'stream' });
  return cost;
}

function costOf(usage: SdkUsage): string {
  const rate = (dollarsPerMillion: number) => nanos(String(dollarsPerMillion));
  return dollars(
    lineNanos(usage.input, rate(PRICE.input)) +
      lineNanos(usage.cacheRead, rate(PRICE.cache_read)) +
      lineNanos(usage.cacheWrite, rate(PRICE.cache_write_5m)) +
      lineNanos(usage.output, rate(PRICE.output)) +
      lineNanos(usage.reasoning, rate(PRICE.reasoning)),
  );
}

export const MONEY: Readonly<Record<string, Run>> = {
  usage: {
    ask: (cell) =>
      cell.ask({
        turns: [user(`Count. ${'x'.repeat(200)}`, { text: WORDS, reasoning_tokens: 30, cached_tokens: 24 })],
      }),
    check: async (outcome) => {
      const { usage } = outcome.response;
      expect(usage).toMatchObject({ cacheRead: 24, cacheWrite: 0, output: WORDS.length / 4, reasoning: 30 });
      expect(usage?.input).toBeGreaterThan(40);
      const cost = await checkedCost(outcome);
      if (usage !== null) expect(cost).toBe(costOf(usage));
    },
  },
  'cache-write': {
    ask: (cell) => cell.ask({ turns: [user(`Count. ${'x'.repeat(200)}`, { text: WORDS, cache_write_5m_tokens: 40 })] }),
    check: async (outcome) => {
      const record = await outcome.cell.record(outcome.response);
      expect(at(record, 'usage')).toMatchObject({ cache_write_5m: 40 });
      await checkedCost(outcome);
      if (outcome.cell.client !== 'gemini') expect(outcome.response.usage?.cacheWrite).toBe(40);
    },
  },
  'usage-missing': {
    ask: (cell) => cell.ask({ turns: [user('Count.', { text: WORDS, usage: 'omit' })] }),
    check: async (outcome) => {
      const record = await outcome.cell.record(outcome.response);
      expect(at(record, 'usage_estimated')).toBe(true);
      expect(countAt(record, 'usage', 'output')).toBeGreaterThan(4);
      expect(Number(await checkedCost(outcome))).toBeGreaterThan(0);
    },
  },
  'same-cost': {
    ask: (cell) =>
      cell.ask({
        system: 'Be brief.',
        tools: [
          {
            name: 'get_weather',
            description: 'Tells the weather.',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        ],
        turns: [
          user('What is it?', undefined, { image: PNG }),
          { role: 'assistant', text: 'A point.' },
          user('And?', { text: WORDS, cached_tokens: 10 }),
        ],
      }),
    check: async (outcome) => {
      const cost = await checkedCost(outcome);
      sameCost ??= cost;
      expect(cost).toBe(sameCost);
    },
  },
};
