import { expect, it } from 'vitest';
import { alertText } from './alert-event.ts';

it.each([
  ['balance.low', { threshold: '5', balance: '4.5' }, 'balance at $4.50'],
  ['balance.low', { threshold: '5', balance: '3.98803325' }, 'balance at $3.99'],
  ['balance.low', { threshold: '5', balance: '0.004' }, 'balance at less than $0.01'],
  ['balance.low', { threshold: '5', balance: '0' }, 'balance at $0.00'],
  ['account.suspended', { owed: '30.0012', balance: '0' }, 'requests are refused until $30.0012 is paid'],
  ['account.unsuspended', { balance: '10' }, 'requests are accepted again'],
  ['account.closed', 'of a later version', 'account.closed'],
])('%s with %o is titled "%s"', (type, data, title) => {
  expect(alertText(type, data).title).toBe(title);
});

it('says at which threshold a balance is, and what follows when nothing is left', () => {
  const sentenceOf = (balance: string) => alertText('balance.low', { threshold: '5', balance }).sentence;
  expect(sentenceOf('4.98')).toBe('The balance fell to $4.98, to or below the threshold of $5.00.');
  expect(sentenceOf('0')).toBe('The balance fell to $0.00. Requests are refused until the account is topped up.');
});
