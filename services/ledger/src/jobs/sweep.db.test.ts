import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquire, fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture, silent } from '../../testing/ledger-fixture.ts';
import { readBalance } from '../store/balances.ts';
import { fenceExpiredSessions, fenceSession, openSession, recordHeartbeat } from '../store/sessions.ts';
import { tickSweeper } from '../store/sweeper.ts';
import { sweep } from './sweep.ts';

const OPTIONS = { gapMs: 15_000, keepMs: 3_600_000 };

let ledger: LedgerFixture;
let accountId: string;
let sessionId: string;

beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
beforeEach(async () => {
  accountId = await fundedAccount(ledger.pool, 100n);
  sessionId = await leasingSession(ledger.pool, accountId, 60n);
});
afterEach(async () => {
  await fenceSession(ledger.pool, sessionId);
  await sweep(ledger.pool, OPTIONS, silent);
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

/** As if the session's last heartbeat had come this long ago. */
async function silentFor(ms: number): Promise<void> {
  await ledger.pool.query(
    `UPDATE ledger.sessions SET last_heartbeat_at = clock_timestamp() - $2 * interval '1 millisecond'
     WHERE session_id = $1`,
    [sessionId, ms],
  );
}

/** As if the last round of the sweeper had been this long ago, and the quiet time after any gap were over. */
async function lastSwept(agoMs: number): Promise<void> {
  await ledger.pool.query(
    `UPDATE ledger.sweeper SET last_tick_at = clock_timestamp() - $1 * interval '1 millisecond',
                               quiet_until = clock_timestamp() - interval '1 second'`,
    [agoMs],
  );
}

async function available(): Promise<bigint | undefined> {
  return (await readBalance(ledger.pool, accountId))?.available;
}

describe('the sweeper', () => {
  it('frees what a session that died long ago left, and fences it', async () => {
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 25n));
    await lastSwept(3_000);
    await silentFor(OPTIONS.keepMs + 1_000);
    expect(await sweep(ledger.pool, OPTIONS, silent)).toEqual([sessionId]);
    expect(await readBalance(ledger.pool, accountId)).toEqual({ available: 75n, leased: 0n, held: 0n, receivable: 0n });
    expect(await openSession(ledger.pool, sessionId, '')).toBeUndefined();
    expect(await recordHeartbeat(ledger.pool, sessionId, 9n, new Map(), { charges: 0n, oldestMs: 0n })).toBeUndefined();
  });

  it('keeps the credit of a dead session until the longest request and its replay are over', async () => {
    await lastSwept(3_000);
    await silentFor(OPTIONS.keepMs - 5_000);
    expect(await sweep(ledger.pool, OPTIONS, silent)).toEqual([]);
    expect(await available()).toBe(40n);
    expect(await openSession(ledger.pool, sessionId, '')).toBeDefined();
  });

  it('ends nothing for a full period after a gap, whatever was before', async () => {
    await lastSwept(OPTIONS.gapMs + 1_000);
    await silentFor(10 * OPTIONS.keepMs);
    expect(await sweep(ledger.pool, OPTIONS, silent)).toEqual([]);
    expect(await sweep(ledger.pool, OPTIONS, silent)).toEqual([]);
    expect(await available()).toBe(40n);
    const { rows } = await ledger.pool.query<{ quiet: boolean }>(
      `SELECT quiet_until BETWEEN clock_timestamp() + interval '59 minutes' AND clock_timestamp() + interval '60 minutes'
         AS quiet FROM ledger.sweeper`,
    );
    expect(rows).toEqual([{ quiet: true }]);
  });

  it('takes a clock that was set back, or its own first round, for a gap', async () => {
    await lastSwept(-OPTIONS.gapMs - 1_000);
    expect((await tickSweeper(ledger.pool, OPTIONS.gapMs, OPTIONS.keepMs)).mayExpire).toBe(false);
    await ledger.pool.query('UPDATE ledger.sweeper SET last_tick_at = NULL, quiet_until = NULL');
    expect((await tickSweeper(ledger.pool, OPTIONS.gapMs, OPTIONS.keepMs)).mayExpire).toBe(false);
  });

  it('decides by the time of its tick, even if it is delayed afterwards', async () => {
    await lastSwept(3_000);
    await silentFor(OPTIONS.keepMs - 5_000);
    const tick = await tickSweeper(ledger.pool, OPTIONS.gapMs, OPTIONS.keepMs);
    await silentFor(OPTIONS.keepMs - 1);
    expect(await fenceExpiredSessions(ledger.pool, tick.now, OPTIONS.keepMs)).toEqual([]);
  });

  it('finishes the freeing of a session that was cut off', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => fundedAccount(ledger.pool, 10n)));
    for (const other of others) await acquire(ledger.pool, sessionId, other, 10n);
    await fenceSession(ledger.pool, sessionId);
    expect(await available()).toBe(40n);
    expect(await sweep(ledger.pool, OPTIONS, silent)).toEqual([sessionId]);
    expect(await available()).toBe(100n);
    for (const other of others) expect((await readBalance(ledger.pool, other))?.leased).toBe(0n);
    expect(await sweep(ledger.pool, OPTIONS, silent)).toEqual([]);
  });

  it('may run on several replicas at once', async () => {
    await lastSwept(3_000);
    await silentFor(OPTIONS.keepMs + 1_000);
    await Promise.all(Array.from({ length: 4 }, () => sweep(ledger.pool, OPTIONS, silent)));
    expect(await available()).toBe(100n);
  });
});
