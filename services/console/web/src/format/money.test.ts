import { describe, expect, test } from 'vitest';
import { addMoney, compareMoney, exactMoney, paidMoney, parseMoney, shareOf, shortMoney, toMoney } from './money.ts';

describe('exact amounts', () => {
  test.each([
    ['0.0004125', '$0.000412500'],
    ['84.12', '$84.120000000'],
    ['-3.120000500', '−$3.120000500'],
    ['1234567.000000001', '$1,234,567.000000001'],
    ['9007199254740993.000000001', '$9,007,199,254,740,993.000000001'],
  ])('%s is %s', (amount, shown) => {
    expect(exactMoney(amount)).toBe(shown);
  });
});

describe('short amounts have two decimals from a dollar, four below', () => {
  test.each([
    ['84.119587500', '$84.12'],
    ['84.125', '$84.13'],
    ['-84.125', '−$84.13'],
    ['0', '$0.00'],
    ['1', '$1.00'],
    ['0.99995', '$1.00'],
    ['0.34', '$0.3400'],
    ['0.0004125', '$0.0004'],
    ['0.000000001', '<$0.0001'],
    ['-0.00001', '−<$0.0001'],
    ['999.999', '$1,000.00'],
    ['12345678.9', '$12,345,678.90'],
  ])('%s is %s', (amount, shown) => {
    expect(shortMoney(amount)).toBe(shown);
  });
});

describe('amounts that people pay have no cents unless there are some', () => {
  test.each([
    ['50', '$50'],
    ['50.00', '$50'],
    ['1250.000000000', '$1,250'],
    ['12.5', '$12.50'],
    ['-20', '−$20'],
  ])('%s is %s', (amount, shown) => {
    expect(paidMoney(amount)).toBe(shown);
  });
});

describe('amounts beside others do not read alike if they differ', () => {
  test.each([
    ['0.000000004', '0.000000009', '$0.000000004 of $0.000000009'],
    ['0', '0.00001', '$0.00 of $0.000010000'],
    ['99.996', '100', '$99.996000000 of $100.000000000'],
    ['0.00041', '0.00044', '$0.000410000 of $0.000440000'],
    ['-5.001', '-5.004', '−$5.001000000 of −$5.004000000'],
    ['99.99', '100', '$99.99 of $100.00'],
    ['100', '100.00', '$100.00 of $100.00'],
  ])('%s of %s', (spent, limit, shown) => {
    expect(`${shortMoney(spent, [limit])} of ${shortMoney(limit, [spent])}`).toBe(shown);
  });
});

test('sums are exact beyond the precision of floating-point numbers', () => {
  expect(addMoney('9007199254740992.1', '0.000000001', '-0.1')).toBe('9007199254740992.000000001');
  expect(addMoney('0.1', '0.2')).toBe('0.30');
});

test('amounts are read and written without loss', () => {
  for (const nanos of [0n, 1n, -1n, 10n ** 9n, -123_456_789_012n]) expect(parseMoney(toMoney(nanos))).toBe(nanos);
});

test('text that is not an amount is refused', () => {
  for (const text of ['', '$1', '1,000', '1e3', '1.', '.5', '1.0000000001']) {
    expect(() => parseMoney(text)).toThrow('not an amount');
  }
});

test('amounts sort by value, not as text', () => {
  expect(['10', '9.99', '-3', '100'].sort(compareMoney)).toEqual(['-3', '9.99', '10', '100']);
});

test('a share is between 0 and 1, and 0 of nothing', () => {
  expect(shareOf('5', '20')).toBe(0.25);
  expect(shareOf('30', '20')).toBe(1);
  expect(shareOf('-1', '20')).toBe(0);
  expect(shareOf('5', '0')).toBe(0);
});
