import { BALANCE } from '@tollgate/common/cap-periods';
import { newId } from '@tollgate/common/ids';
import { CapPeriod, type ReleaseCredit } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildCharge } from '../../../testing/build-charge.ts';
import { brokenInvariants } from '../../../testing/check-invariants.ts';
import { heartbeat, LeaseCall } from '../../../testing/lease-call.ts';
import { fundedAccount, settle } from '../../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../../testing/serve-ledger.ts';
import { readBalance } from '../../store/balances.ts';
import { raiseEpoch } from '../../store/meta.ts';

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await serveLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

/** A session with a lease of 80 of its account's 100, of which 30 are spent, and the session after it. */
async function retired() {
  const accountId = await fundedAccount(ledger.pool, 100n);
  const sessionId = newId();
  const old = await LeaseCall.opened(ledger.client, sessionId);
  await old.acquire(accountId, 80n);
  await settle(ledger.pool, buildCharge({ accountId, sessionId }, 30n));
  old.end();
  return { accountId, sessionId, ...(await successor()) };
}

async function successor() {
  const call = new LeaseCall(ledger.client);
  const opened = await call.open(newId());
  if (opened?.$case !== 'opened') throw new Error('the session was not opened');
  const { databaseId } = opened.value;
  const release = async (value: Omit<ReleaseCredit, 'databaseId' | 'ceiling'> & Partial<ReleaseCredit>) =>
    await call.ask({ $case: 'release', value: { databaseId, ceiling: BALANCE, ...value } });
  return { call, databaseId, release };
}

async function available(accountId: string): Promise<bigint | undefined> {
  return (await readBalance(ledger.pool, accountId))?.available;
}

describe('a release', () => {
  it('frees what an earlier session does not keep; late and repeated ones free no more', async () => {
    const { accountId, sessionId, release } = await retired();
    const asked = { sessionId, accountId, keepNanos: 20n };
    expect(await release(asked)).toEqual({ $case: 'released', value: { ...asked, ceiling: BALANCE } });
    expect(await available(accountId)).toBe(50n);
    await release(asked);
    await release({ ...asked, keepNanos: 45n });
    expect(await available(accountId)).toBe(50n);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 15n));
    await release({ ...asked, keepNanos: 0n });
    expect(await available(accountId)).toBe(55n);
    expect(await readBalance(ledger.pool, accountId)).toMatchObject({ leased: 0n });
  });

  it('counted on another database frees nothing, and is not confirmed', async () => {
    const { accountId, sessionId, release, call } = await retired();
    const asked = { sessionId, accountId, keepNanos: 0n, databaseId: 'another' };
    expect(await Promise.race([release(asked), call.ask(heartbeat(1n))])).toMatchObject({ $case: 'heartbeat' });
    expect(await available(accountId)).toBe(20n);
  });

  it('reaches sessions of before a restore, which are charged still', async () => {
    const { accountId, sessionId } = await retired();
    await raiseEpoch(ledger.pool);
    // The id of a session carries milliseconds, and one of that in which the epoch was raised is fenced.
    const { release } = await vi.waitFor(successor, { timeout: 30_000, interval: 5 });
    await release({ sessionId, accountId, keepNanos: 10n });
    expect(await available(accountId)).toBe(60n);
  });

  it('of a session that has ended, is not known, or is not named frees nothing and is confirmed', async () => {
    const { accountId, sessionId, release, call } = await retired();
    await call.ask({ $case: 'close', value: { sessionId } });
    expect(await available(accountId)).toBe(70n);
    for (const id of [sessionId, newId(), 'none']) {
      expect(await release({ sessionId: id, accountId, keepNanos: 0n })).toMatchObject({ $case: 'released' });
    }
    expect(await available(accountId)).toBe(70n);
  });

  it('of a cap leaves credit alone', async () => {
    const { accountId, release, sessionId } = await retired();
    const old = await LeaseCall.opened(ledger.client, sessionId);
    const ceiling = { nodeId: newId(), period: CapPeriod.TOTAL, periodStartMs: 0n };
    const need = { ceiling, grantedTotalNeeded: 100n, limitNanos: 100n, revision: 1n };
    const wanted = { accountId, sequence: 1n, needs: [need], prefetch: false };
    expect(await old.ask({ $case: 'acquire', value: wanted })).toMatchObject({ value: { refused: false } });
    old.end();
    await release({ sessionId, accountId, keepNanos: 0n, ceiling: undefined });
    await release({ sessionId, accountId, keepNanos: 40n, ceiling });
    const { rows } = await ledger.pool.query('SELECT leased FROM ledger.ceilings WHERE node_id = $1', [ceiling.nodeId]);
    expect(rows).toEqual([{ leased: 40n }]);
    expect(await available(accountId)).toBe(20n);
  });
});
