import { newId } from '@tollgate/common/ids';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeDeposit } from '../make-deposit.ts';
import { listEvents } from '../store/list-events.ts';
import { buildCharge } from '../testing/build-charge.ts';
import { brokenInvariants } from '../testing/check-invariants.ts';
import { acquire, fundedAccount, leasingSession, settle } from '../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../testing/ledger-fixture.ts';
import { setThresholds } from './set-thresholds.ts';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

/** What the account's events say, oldest first. */
async function told(accountId: string): Promise<string[]> {
  const events = await listEvents(ledger.pool, accountId, undefined, 1_000);
  return events.reverse().map(({ type, dataJson }) => {
    const { threshold, balance } = JSON.parse(dataJson);
    return `${type} ${threshold} at ${balance}`;
  });
}

function adjust(accountId: string, amountNanos: bigint) {
  const input = { accountId, kind: 'adjustment' as const, amountNanos, idempotencyKey: newId(), reason: 'test' };
  return makeDeposit(ledger.pool, input);
}

describe('a threshold', () => {
  it('is told once when charges bring the whole balance to it, and again after a deposit above it', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    await setThresholds(ledger.pool, accountId, [50n, 20n]);
    const sessionId = await leasingSession(ledger.pool, accountId, 100n);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 49n));
    expect(await told(accountId)).toEqual([]);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 1n));
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 1n));
    const first = 'balance.low 0.00000005 at 0.00000005';
    expect(await told(accountId)).toEqual([first]);

    await adjust(accountId, 1n);
    await acquire(ledger.pool, sessionId, accountId, 101n, 2n);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 1n));
    expect(await told(accountId)).toEqual([first]);

    await adjust(accountId, 10n);
    await acquire(ledger.pool, sessionId, accountId, 111n, 3n);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 9n), buildCharge({ accountId, sessionId }, 40n));
    expect(await told(accountId)).toEqual([
      first,
      'balance.low 0.00000005 at 0.00000001',
      'balance.low 0.00000002 at 0.00000001',
    ]);
  });
});
