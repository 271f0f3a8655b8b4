import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_MARKUP_PPM, MIN_MARKUP_PPM, markupOf, ownRate } from './price-rules.ts';

it.each([
  ['claude-*', 'claude-sonnet-5', true],
  ['claude-*', 'claude-', true],
  ['claude-*', 'my-claude-1', false],
  ['*', 'anything/at:all', true],
  ['*-mini', 'gpt-5-mini', true],
  ['*-mini', 'gpt-5-mini-2', false],
  ['gpt-*-mini', 'gpt-5-mini', true],
  ['gpt-*-mini', 'gpt-mini', false],
  ['a*b*a', 'aba', true],
  ['a*b*a', 'aa', false],
  ['ab*ba', 'aba', false],
  ['gpt.5', 'gpt-5', false],
  ['gpt-5', 'gpt-5', true],
  ['gpt-5', 'gpt-5-mini', false],
])('decides whether %s is for %s', (model, modelId, isMatch) => {
  expect(markupOf([{ model, markupPpm: 7 }], modelId)).toBe(isMatch ? 7 : 0);
});

const parts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 }), { minLength: 1, maxLength: 4 });

it('matches as a regular expression does', () => {
  fc.assert(
    fc.property(parts, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 }), (texts, modelId) => {
      const expected = new RegExp(`^${texts.join('.*')}$`).test(modelId);
      expect(markupOf([{ model: texts.join('*'), markupPpm: 1 }], modelId) === 1).toBe(expected);
    }),
    { seed: 11, numRuns: 2_000 },
  );
});

it('takes the first rule that matches, and the list price without one', () => {
  const rules = [
    { model: 'claude-opus', markupPpm: 0 },
    { model: 'claude-*', markupPpm: 200_000 },
    { model: '*-opus', markupPpm: -100_000 },
  ];
  expect(['claude-opus', 'claude-fable', 'my-opus', 'gpt'].map((id) => markupOf(rules, id))).toEqual([
    0, 200_000, -100_000, 0,
  ]);
});

it.each([
  [3_000_000_000n, 200_000, 3_600_000_000n],
  [3_000_000_000n, -100_000, 2_700_000_000n],
  [3_000_000_000n, MIN_MARKUP_PPM, 0n],
  [3_000_000_000n, MAX_MARKUP_PPM, 33_000_000_000n],
  [1n, 1, 2n],
  [1n, -1, 1n],
  [0n, MAX_MARKUP_PPM, 0n],
])('adds to a rate of %d a markup of %d parts per million', (rate, markupPpm, expected) => {
  expect(ownRate(rate, markupPpm)).toBe(expected);
});

it('keeps the order of rates, so that the highest stays the highest, and the list price to the nano-dollar', () => {
  const rate = fc.bigInt({ min: 0n, max: 10n ** 15n });
  fc.assert(
    fc.property(rate, rate, fc.integer({ min: MIN_MARKUP_PPM, max: MAX_MARKUP_PPM }), (one, other, markupPpm) => {
      const [low, high] = one < other ? [one, other] : [other, one];
      expect(ownRate(low, markupPpm)).toBeLessThanOrEqual(ownRate(high, markupPpm));
      expect(ownRate(one, 0)).toBe(one);
    }),
    { seed: 12 },
  );
});
