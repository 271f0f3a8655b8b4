import { expect, it } from 'vitest';
import { type Line, sumByModel } from './sums.ts';

const line = (kind: Line['kind'], model: string | null, requests: number | null, amount: string): Line => ({
  kind,
  at: '2026-11-03T00:00:00.000Z',
  reference: null,
  description: null,
  model,
  requests,
  lot_kind: null,
  ends_at: null,
  amount,
});

it('charges are summed by model, most expensive first, and nothing else is', () => {
  const lines = [
    line('deposit', null, null, '50'),
    line('charges', 'small', 2, '-0.000000001'),
    line('charges', 'large', 1, '-3.5'),
    line('charges', 'small', 5, '-0.2'),
    line('expiry', null, null, '-9'),
  ];
  expect(sumByModel(lines)).toEqual([
    { model: 'large', requests: 1, amount: '-3.50' },
    { model: 'small', requests: 7, amount: '-0.200000001' },
  ]);
});
