import { expect, it } from 'vitest';
import { findingHref, findingSentence, findingTitle } from './finding-text.ts';

const finding = (place: object, expected: string, found: string) => ({
  invariant: 'balance_equals_entries',
  account_id: 'a1',
  place: JSON.stringify(place),
  expected,
  found,
});

it('says which balance is wrong, exactly', () => {
  const wrong = finding({ table: 'balances', column: 'operator_loss', account_id: 'a1' }, '9000000000000000001', '-5');
  expect(findingTitle(wrong.invariant)).toBe('A stored balance differs from the sum of its entries');
  expect(findingSentence(wrong)).toBe('Operator loss is −$0.000000005 and should be $9,000,000,000.000000001.');
});

it('says only what differs of a row with several amounts', () => {
  const cap = finding(
    { table: 'caps', key_id: 'k1' },
    '{"spent": 1500000000, "leased": 0}',
    '{"spent": 2000000000, "leased": 0}',
  );
  expect(findingSentence(cap)).toBe('Spent is $2.000000000 and should be $1.500000000.');
  const hour = finding(
    { table: 'usage_hourly' },
    '{"requests": 12, "charged_nanos": 5}',
    '{"requests": 11, "charged_nanos": 5}',
  );
  expect(findingSentence(hour)).toBe('Requests is 11 and should be 12.');
});

it('says that a row is missing or one too many', () => {
  expect(findingSentence(finding({ table: 'leases' }, '{"spent": 1}', 'null'))).toBe('It is missing.');
  expect(findingSentence(finding({ table: 'leases' }, 'null', '{"spent": 1}'))).toBe('It should not exist.');
});

it('leads to the request, key or deposit', () => {
  expect(findingHref(finding({ request_id: 'r1' }, '1', '2'))).toBe('/accounts/a1/requests/r1');
  expect(findingHref(finding({ key_id: 'k1' }, '1', '2'))).toBe('/accounts/a1/keys/k1');
  expect(findingHref(finding({ deposit_id: 'd1' }, '1', '2'))).toBe('/accounts/a1/top-up');
  expect(findingHref(finding({ table: 'balances' }, '1', '2'))).toBeNull();
});
