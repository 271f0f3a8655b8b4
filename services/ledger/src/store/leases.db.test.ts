import { newId } from '@tollgate/common/ids';
import { inTransaction } from '@tollgate/common/postgres/pool';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { fundedAccount, openedSession } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { closeSession } from '../leases/end-session.ts';
import { lockBalance, readBalance } from './balances.ts';
import { grantLease, readLease } from './leases.ts';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());

/** Resolves once a connection of this database waits for a row's lock. */
async function someoneWaits(): Promise<'waits'> {
  await vi.waitFor(async () => {
    const { rows } = await ledger.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows).toHaveLength(1);
  });
  return 'waits';
}

it('a session does not end between the reading of its lease and the grant, which would be lost to its account', async () => {
  const accountId = await fundedAccount(ledger.pool, 100n);
  const sessionId = await openedSession(ledger.pool);
  const closed = await inTransaction(ledger.pool, async (client) => {
    const balance = await lockBalance(client, accountId);
    expect(await readLease(client, accountId, sessionId)).toMatchObject({ granted: 0n });
    const closing = closeSession(ledger.pool, sessionId);
    const first = await Promise.race([closing.then(() => 'ended' as const), someoneWaits()]);
    expect(first).toBe('waits');
    const nowMs = balance?.nowMs ?? 0n;
    await grantLease(client, { accountId, sessionId, transferId: newId(), amount: 60n, sequence: 1n, nowMs });
    return { closing };
  });
  await closed.closing;
  expect(await readBalance(ledger.pool, accountId)).toMatchObject({ available: 100n, leased: 0n });
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});
