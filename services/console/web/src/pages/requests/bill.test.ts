import { expect, it } from 'vitest';
import { billOf, calculation } from './bill.ts';
import { REQUEST } from './request.fixture.ts';

it('adds up to what the account paid', () => {
  const bill = billOf(REQUEST);
  expect(bill.list).toBe('0.008598');
  expect(bill.discount).toEqual({ percent: '15', amount: '0.0012897' });
  expect(bill.cost).toBe('0.0073083');
  expect(bill.borneByOperator).toBeNull();
  expect(bill.lines.map((line) => [line.label, line.list])).toEqual([
    ['Input', '0.003603'],
    ['Output', '0.004995'],
  ]);
});

it('shows no discount where there is none', () => {
  const lines = [{ bucket: 'input', quantity: 1, rate_per_million: '0.0005', amount: '0' }];
  expect(billOf({ ...REQUEST, lines, discount_percent: '0', cost: '0' })).toMatchObject({
    discount: null,
    list: '0.00',
  });
});

it('shows the part above the hold, which the operator bears', () => {
  expect(billOf({ ...REQUEST, cost: '0.005', hold: '0.005', released: '0' }).borneByOperator).toBe('0.0023083');
});

it('shows what the provider charges, and the margin to the billionth of a dollar, also if it is a loss', () => {
  expect(billOf({ ...REQUEST, upstream_cost: '0.005000001' }).upstream).toEqual({
    cost: '0.005000001',
    margin: '0.002308299',
  });
  expect(billOf({ ...REQUEST, upstream_cost: '0.01' }).upstream?.margin).toBe('-0.0026917');
  expect(billOf(REQUEST).upstream).toBeNull();
});

it('shows what the request costs at list prices, and the margin, where the account has prices of its own', () => {
  const own = { base_cost: '0.006', margin: '0.0013083' };
  expect(billOf({ ...REQUEST, ...own }).base).toEqual({ cost: '0.006', margin: '0.0013083' });
  expect(billOf(REQUEST).base).toBeNull();
});

it('explains how a line came about', () => {
  const [line] = billOf(REQUEST).lines;
  if (line === undefined) throw new Error('there is a line');
  expect(calculation(line, '15')).toBe('1,201 tokens × $3.00 per million × (1 − 15%)');
  expect(calculation({ ...line, rate_per_million: '0.150' }, '0.00')).toBe('1,201 tokens × $0.15 per million');
});

it('names a bucket that it does not know', () => {
  const lines = [{ bucket: 'audio', quantity: 2, rate_per_million: '1', amount: '0.000002' }];
  expect(billOf({ ...REQUEST, lines }).lines[0]).toMatchObject({ label: 'audio', unit: 'items' });
});

it('counts one request, and several searches', () => {
  const line = { rate_per_million: '10000', amount: '0.01' };
  const lines = [
    { ...line, bucket: 'request', quantity: 1 },
    { ...line, bucket: 'search', quantity: 2 },
  ];
  const bill = billOf({ ...REQUEST, lines });
  expect(bill.lines.map(({ unit }) => unit)).toEqual(['request', 'searches']);
  expect(bill.lines.map((each) => calculation(each, '0'))).toEqual([
    '1 request × $10 per 1,000',
    '2 searches × $10 per 1,000',
  ]);
});
