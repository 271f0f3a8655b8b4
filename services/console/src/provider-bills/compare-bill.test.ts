import { describe, expect, it } from 'vitest';
import type { Bill, Quantities } from './bill.ts';
import { compareBill, type MeteredDay, modelKey } from './compare-bill.ts';

const DAY = '2026-11-29';
const ONE_PERCENT = 10_000;

const usage = (input: bigint, output: bigint): Quantities => ({
  inputTokens: input,
  cacheReadTokens: 0n,
  outputTokens: output,
});
const bill = (models: Record<string, Quantities>, quantities: Bill['quantities'] = TOKENS): Bill => ({
  format: 'test',
  quantities,
  days: [DAY],
  lines: Object.entries(models).map(([model, each]) => ({ day: DAY, model, quantities: each })),
});
const TOKENS = ['inputTokens', 'cacheReadTokens', 'outputTokens'] as const;
const metered = (model: string, quantities: Quantities, requests = 1n): MeteredDay => ({
  day: DAY,
  model,
  requests,
  quantities,
});

describe('a bill', () => {
  it.each([
    ['the same', 1_000n, false],
    ['one percent more', 1_010n, false],
    ['a little more than one percent more', 1_012n, true],
    ['less', 900n, true],
  ])('of %s tokens differs: %s', (_, billed, differs) => {
    const [compared] = compareBill(
      bill({ 'gpt-5-2025-08-07': usage(billed, 10n) }),
      [metered('gpt-5', { ...usage(1_000n, 10n), costNanos: 5n })],
      [],
      ONE_PERCENT,
    );
    expect(compared).toMatchObject({ day: DAY, model: 'gpt-5', differs, billed: usage(billed, 10n) });
  });

  it('shows what it leaves out as not billed, and what was not metered', () => {
    const compared = compareBill(bill({ 'gpt-5': usage(5n, 5n) }), [metered('gpt-4', usage(7n, 7n))], [], ONE_PERCENT);
    expect(compared).toMatchObject([
      { model: 'gpt-4', requests: 1n, billed: usage(0n, 0n), metered: usage(7n, 7n), differs: true },
      { model: 'gpt-5', requests: 0n, billed: usage(5n, 5n), metered: usage(0n, 0n), differs: true },
    ]);
  });

  it('sums deployments and dated names of one model', () => {
    const compared = compareBill(
      bill({ 'gpt-5': usage(3n, 3n), 'gpt-5-2025-08-07': usage(4n, 4n) }),
      [metered('gpt-5', usage(5n, 5n), 2n), metered('gpt-5-2025-08-07', usage(2n, 2n))],
      [],
      0,
    );
    expect(compared).toMatchObject([{ model: 'gpt-5', requests: 3n, differs: false, billed: usage(7n, 7n) }]);
  });

  it('of costs keeps the tokens of an earlier one, and replaces an earlier one of its kind', () => {
    const charges = [metered('gpt-5', { ...usage(5n, 5n), costNanos: 2_000_000_000n })];
    const tokens = compareBill(bill({ 'gpt-5': usage(5n, 5n), gone: usage(1n, 1n) }), charges, [], 0);
    const costs = compareBill(bill({ 'gpt-5': { costNanos: 2_500_000_000n } }, ['costNanos']), charges, tokens, 0);
    expect(costs).toMatchObject([
      { model: 'gone', billed: { ...usage(1n, 1n), costNanos: 0n }, differs: true },
      { model: 'gpt-5', billed: { ...usage(5n, 5n), costNanos: 2_500_000_000n }, differs: true },
    ]);
    const again = compareBill(bill({ 'gpt-5': usage(6n, 6n) }), charges, costs, 0);
    expect(again).toMatchObject([{ model: 'gpt-5', billed: { ...usage(6n, 6n), costNanos: 2_500_000_000n } }]);
  });

  it.each([
    [2_009_999_999n, false],
    [2_010_000_000n, true],
  ])('of %s nano-dollars for two dollars differs by a cent or not: %s', (costNanos, differs) => {
    const charges = [metered('gpt-5', { ...usage(5n, 5n), costNanos: 2_000_000_000n })];
    expect(compareBill(bill({ 'gpt-5': { costNanos } }, ['costNanos']), charges, [], 0)).toMatchObject([{ differs }]);
  });
});

it.each([
  ['Claude Haiku 4.5', 'claude-haiku-4-5-20251001'],
  ['gpt-5', 'gpt-5-2025-08-07'],
  ['Gemini 2.5 Flash Lite', 'models/gemini-2.5-flash-lite'],
  ['claude-3-7-sonnet-latest', 'Claude 3.7 Sonnet'],
])('%s is %s', (a, b) => expect(modelKey(a)).toBe(modelKey(b)));
