import { Event } from '@tollgate/proto/ledger';
import { expect, it } from 'vitest';
import { lowestThresholds } from './lowest-thresholds.ts';

function low(accountId: string, createdAtMs: bigint, threshold: string): Event {
  const dataJson = JSON.stringify({ threshold, balance: '0.5' });
  return Event.fromPartial({ accountId, type: 'balance.low', createdAtMs, dataJson });
}

it('keeps the lowest of the thresholds that a balance fell past at once, and all other events', () => {
  const suspended = Event.fromPartial({ accountId: 'a', type: 'account.suspended', createdAtMs: 1n, dataJson: '{}' });
  const [twenty, three, earlier, other] = [
    low('a', 1n, '20'),
    low('a', 1n, '3'),
    low('a', 0n, '20'),
    low('b', 1n, '20'),
  ];
  expect(lowestThresholds([earlier, twenty, three, other, suspended])).toEqual([earlier, three, other, suspended]);
});
