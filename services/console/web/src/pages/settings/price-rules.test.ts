import { expect, it } from 'vitest';
import { markupIn, movedUp, previewOf, rulesOf } from './price-rules.ts';

it.each([
  ['20', 200_000],
  ['+20 %', 200_000],
  ['-12.5%', -125_000],
  ['1000', 10_000_000],
  ['0', 0],
  ['1000.1', undefined],
  ['-101', undefined],
  ['', undefined],
  ['x', undefined],
])('reads %j as %d parts per million', (text, ppm) => {
  expect(markupIn(text)).toBe(ppm);
});

const drafts = [
  { id: 0, model: ' claude-* ', percent: '+20 %' },
  { id: 1, model: '*', percent: '-10' },
];

it('sends what was typed, without signs that stand for nothing', () => {
  expect(rulesOf(drafts)).toEqual([
    { model: 'claude-*', markup_percent: '20' },
    { model: '*', markup_percent: '-10' },
  ]);
});

it('shows what models would cost by the rules that are complete', () => {
  const models = [
    { model: 'claude-fable', price: { rates: { input: '3', output: '15' } } },
    { model: 'gpt', price: { rates: { input: '0.000000001' } } },
    { model: 'unpriced', price: null },
  ];
  expect(previewOf(models, [...drafts, { id: 2, model: '', percent: '5' }])).toEqual([
    { model: 'claude-fable', list: ['3', '15'], own: ['3.60', '18.00'] },
    { model: 'gpt', list: ['0.000000001'], own: ['0.000000001'] },
  ]);
  expect(previewOf(models, [])).toEqual([]);
});

it('moves a rule before the one above it', () => {
  expect(movedUp(drafts, 1).map(({ id }) => id)).toEqual([1, 0]);
});
