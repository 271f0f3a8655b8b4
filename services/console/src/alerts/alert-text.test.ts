import { expect, it } from 'vitest';
import { alertText } from './alert-text.ts';

it.each([
  ['balance.low', { threshold: '5', balance: '4.5' }, 'balance at $4.50'],
  ['balance.low', { threshold: '5', balance: '3.98803325' }, 'balance at $3.99'],
  ['balance.low', { threshold: '5', balance: '0.004' }, 'balance at less than $0.01'],
  ['balance.low', { threshold: '5', balance: '0' }, 'balance at $0.00'],
  ['account.suspended', { owed: '30.0012', balance: '0' }, 'requests are refused until $30.0012 is paid'],
  ['account.unsuspended', { balance: '10' }, 'requests are accepted again'],
  ['cap.low', { key_name: 'ci', period: 'day', limit: '10', spent: '8.1' }, 'the key ci has spent 80 % of its cap'],
  [
    'cap.low',
    { key_name: 'ci', period: 'day', percent: '50', limit: '10', spent: '5' },
    'the key ci has spent 50 % of its cap',
  ],
  ['cap.reached', { key_name: 'ci', period: 'day', limit: '10', spent: '10' }, 'the key ci has reached its cap'],
  [
    'cap.reached',
    { scope: 'service_account', node_name: 'ci', period: 'day', limit: '10', spent: '10' },
    'the service account ci has reached its cap',
  ],
  [
    'cap.reached',
    { scope: 'session', node_name: 'nightly', period: 'session', limit: '10', spent: '10' },
    'the session nightly has reached its cap',
  ],
  ['limit.requested', { asked_by: 'ana', scope: 'key', node_name: 'ci', period: 'day' }, 'ana asks for a higher limit'],
  ['limit.granted', { scope: 'member', period: 'day', limit: '7' }, 'you have a higher limit of $7.00'],
  ['limit.declined', { scope: 'project', node_name: 'x', period: 'day' }, 'the higher limit was declined'],
  [
    'credit.expiring',
    { kind: 'granted', amount: '4.5', ends_at: '2026-12-01T08:00:00.000Z' },
    '$4.50 of credit ends at 2026-12-01 08:00 UTC',
  ],
  [
    'credit.expired',
    { kind: 'granted', amount: '4.5', ends_at: '2026-12-01T08:00:00.000Z' },
    '$4.50 of credit has ended',
  ],
  [
    'top_up.paused',
    { reason: 'confirmation', amount: '24', method: 'visa 3184' },
    'confirm the automatic payment of $24.00',
  ],
  ['top_up.paused', { reason: 'retry', amount: '24' }, 'an automatic payment was declined'],
  ['top_up.paused', { reason: 'declined' }, 'automatic top-up is paused: the card was declined'],
  ['top_up.paused', { reason: 'card_removed' }, 'automatic top-up is paused: its card was removed'],
  ['top_up.paused', { reason: 'monthly_max' }, 'automatic top-up is paused: its monthly maximum is reached'],
  ['top_up.paused', { reason: 'daily_limit' }, 'automatic top-up is paused: the limit of payments is reached'],
  ['top_up.paused', { reason: 'dispute' }, 'automatic top-up is paused: a payment is disputed'],
  ['top_up.paused', { reason: 'of a later version' }, 'automatic top-up is paused'],
  ['account.closed', 'of a later version', 'account.closed'],
])('%s with %o is titled "%s"', (type, data, title) => {
  expect(alertText(type, data).title).toBe(title);
});

it('says at which threshold a balance is, and what follows when nothing is left', () => {
  const sentenceOf = (balance: string) => alertText('balance.low', { threshold: '5', balance }).sentence;
  expect(sentenceOf('4.98')).toBe('The balance fell to $4.98, to or below the threshold of $5.00.');
  expect(sentenceOf('0')).toBe('The balance fell to $0.00. Requests are refused until the account is topped up.');
});

it('says which credit ends when', () => {
  const data = { kind: 'granted', amount: '4.5', ends_at: '2026-12-01T08:00:00.000Z' };
  expect(alertText('credit.expiring', data).sentence).toBe(
    '$4.50 of granted credit is left that ends at 2026-12-01 08:00 UTC. What is not spent by then is lost.',
  );
  expect(alertText('credit.expired', data).sentence).toBe(
    '$4.50 of granted credit was not spent before it ended at 2026-12-01 08:00 UTC.',
  );
  const midnight = { ...data, ends_at: '2026-12-01T00:00:00.000Z' };
  expect(alertText('credit.expiring', midnight).title).toBe('$4.50 of credit ends at the end of 2026-11-30 UTC');
});

it('names the key and its cap, and when the cap resets', () => {
  const cap = { key_name: 'ci', period: 'month', limit: '10', spent: '8.1' };
  const resets = { ...cap, resets_at: '2026-12-01T00:00:00.000Z' };
  expect(alertText('cap.low', resets).sentence).toBe(
    'The key ci has spent $8.10 of its monthly cap of $10.00. It resets at 2026-12-01 00:00 UTC.',
  );
  expect(alertText('cap.reached', { ...cap, period: 'total' }).sentence).toBe(
    'The key ci has reached its total cap of $10.00. Its requests are refused until the cap is raised.',
  );
});

it.each([
  [
    'limit.requested',
    {
      asked_by: 'ana',
      scope: 'project',
      node_name: 'x',
      period: 'month',
      limit: '10',
      amount: '20',
      reason: 'a large run',
    },
    'ana asks to raise the monthly cap of the project x to $20.00. It is $10.00 now. Their reason: a large run',
  ],
  [
    'limit.granted',
    {
      answered_by: 'bo',
      scope: 'member',
      period: 'day',
      limit: '7',
      duration: 'window',
      until: '2026-12-02T00:00:00.000Z',
    },
    'bo raised the daily cap of the member to $7.00 until 2026-12-02 00:00 UTC.',
  ],
  [
    'limit.granted',
    { answered_by: 'bo', scope: 'session', node_name: 'run 1', period: 'session', limit: '2', duration: 'window' },
    'bo raised the limit of the session run 1 to $2.00 for this session.',
  ],
  [
    'limit.declined',
    { scope: 'key', node_name: 'ci', period: 'total', note: 'not now' },
    'An operator declined to raise the total cap of the key ci. Their note: not now',
  ],
])('says all of %s: %o', (type, data, sentence) => {
  expect(alertText(type, data).sentence).toBe(sentence);
});
