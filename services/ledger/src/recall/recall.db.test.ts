import { BALANCE } from '@tollgate/common/cap-periods';
import { newId } from '@tollgate/common/ids';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { balanceAcquire, heartbeat, type LeaseCall } from '../../testing/lease-call.ts';
import { fundedAccount } from '../../testing/ledger-calls.ts';
import { ReplicatedLedger } from '../../testing/serve-ledger.ts';
import { readBalance } from '../store/balances.ts';
import { recallCredit } from './with-recall.ts';

/** Long: on a busy machine too, what does not wait for it takes less. */
const WAIT_MS = 3_000;

let ledger: ReplicatedLedger;
beforeAll(async () => {
  ledger = await ReplicatedLedger.start({ recallWaitMs: WAIT_MS });
});
afterAll(() => ledger.drop());
afterEach(async () => {
  ledger.endSessions();
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

const session = (replica: number, sessionId?: string) => ledger.session(replica, sessionId);

/** An acquire at a replica that falls short and joins the recall that runs. */
async function join(replica: number, accountId: string, grantedTotalNeeded: bigint): Promise<LeaseCall> {
  const call = await session(replica);
  call.send({ message: { $case: 'acquire', value: balanceAcquire(accountId, grantedTotalNeeded) } });
  // The stream handles messages in order: once it has acknowledged the heartbeat, the acquire waits for the recall.
  const beat = await call.ask(heartbeat(1n));
  expect(beat).toMatchObject({ $case: 'heartbeat' });
  return call;
}

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const begun = performance.now();
  return { result: await work, ms: performance.now() - begun };
}

describe.each([
  ['of the same replica', 0],
  ['of another replica', 1],
])('credit idle at a session %s', (_, replica) => {
  it('is recalled before an acquire is refused, and granted at once', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holder = await session(replica);
    await holder.acquire(accountId, 90n);
    const asker = await session(0);
    const granted = timed(asker.acquire(accountId, 60n));
    expect(await holder.recalled()).toEqual({ accountId, ceiling: BALANCE, suspended: false });
    expect(await holder.giveBack(accountId, 70n)).toMatchObject({ returnedTotal: 70n });
    const { result, ms } = await granted;
    expect(result).toMatchObject({ refused: false, grantedTotal: 60n, availableNanos: 20n });
    expect(ms).toBeLessThan(WAIT_MS);
  });

  it('that is held causes no further wait: the acquire is refused once all have responded', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holder = await session(replica);
    await holder.acquire(accountId, 90n);
    const asker = await session(0);
    const refused = timed(asker.acquire(accountId, 60n));
    await holder.recalled();
    await holder.giveBack(accountId, 0n);
    const { result, ms } = await refused;
    expect(result).toMatchObject({ refused: true, grantedTotal: 0n, leftNanos: 100n, availableNanos: 10n });
    expect(ms).toBeLessThan(WAIT_MS);
  });

  it('of a silent session is waited for up to the limit, without delay for other messages', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holder = await session(replica);
    await holder.acquire(accountId, 90n);
    const asker = await session(0);
    const others = await Promise.all(Array.from({ length: 40 }, () => fundedAccount(ledger.pool, 10n)));
    for (const other of others) await holder.acquire(other, 10n, 2n);
    asker.send({ message: { $case: 'acquire', value: balanceAcquire(accountId, 60n) } });
    for (const other of others) {
      asker.send({ message: { $case: 'acquire', value: balanceAcquire(other, 5n, 2n) } });
    }
    const begun = performance.now();
    const beat = await asker.ask(heartbeat(1n));
    expect(beat).toMatchObject({ $case: 'heartbeat' });
    expect(performance.now() - begun).toBeLessThan(WAIT_MS);
    const responses = await Promise.all(Array.from({ length: 41 }, () => asker.lease()));
    expect(responses.every((response) => response.refused)).toBe(true);
    expect(performance.now() - begun).toBeGreaterThan(WAIT_MS - 50);
  });
});

describe('a shortfall', () => {
  it('at two replicas concurrently causes one recall, and what is returned serves both', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holder = await session(1);
    await holder.acquire(accountId, 100n);
    const askers = [await session(0), await session(1), await session(0)];
    const responses = Promise.all(askers.map((asker) => asker.acquire(accountId, 30n)));
    await holder.recalled();
    const beat = await holder.ask(heartbeat(1n));
    expect(beat).toMatchObject({ $case: 'heartbeat' });
    await holder.giveBack(accountId, 100n);
    expect((await responses).map((response) => response.grantedTotal)).toEqual([30n, 30n, 30n]);
    expect(await holder.ask(heartbeat(2n))).toMatchObject({
      $case: 'heartbeat',
    });
  });

  it('takes the first sufficient return, and does not wait for the rest', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const silentHolder = await session(0);
    await silentHolder.acquire(accountId, 30n);
    const holder = await session(1);
    await holder.acquire(accountId, 70n);
    const asker = await session(0);
    const granted = timed(asker.acquire(accountId, 60n));
    await Promise.all([holder.recalled(), silentHolder.recalled()]);
    await holder.giveBack(accountId, 70n);
    const { result, ms } = await granted;
    expect(result).toMatchObject({ refused: false, grantedTotal: 60n });
    expect(ms).toBeLessThan(WAIT_MS);
  });

  it('adds up the returns of several sessions', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holders = [await session(0), await session(1), await session(1)];
    for (const holder of holders) await holder.acquire(accountId, 30n);
    const asker = await session(0);
    const granted = asker.acquire(accountId, 100n);
    for (const holder of holders) {
      await holder.recalled();
      await holder.giveBack(accountId, 30n);
    }
    expect(await granted).toMatchObject({ refused: false, grantedTotal: 100n, availableNanos: 0n });
  });

  it('beyond the balance is refused at once, and so is a prefetch', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holder = await session(1);
    await holder.acquire(accountId, 90n);
    const asker = await session(0);
    expect(await asker.acquire(accountId, 101n)).toMatchObject({ refused: true, leftNanos: 100n });
    const prefetch = { ...balanceAcquire(accountId, 50n, 2n), prefetch: true };
    expect(await asker.ask({ $case: 'acquire', value: prefetch })).toMatchObject({ value: { refused: true } });
    // A session's own credit cannot be recalled for it.
    expect(await holder.acquire(accountId, 190n, 2n)).toMatchObject({ refused: true });
    expect(await holder.ask(heartbeat(1n))).toMatchObject({
      $case: 'heartbeat',
    });
  });

  it('does not wait for dead sessions', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const dead = newId();
    const holder = await session(0, dead);
    await holder.acquire(accountId, 90n);
    holder.end();
    await ledger.pool.query(
      `UPDATE ledger.sessions SET last_heartbeat_at = clock_timestamp() - interval '1 minute' WHERE session_id = $1`,
      [dead],
    );
    const { result, ms } = await timed((await session(1)).acquire(accountId, 60n));
    expect(result).toMatchObject({ refused: true });
    expect(ms).toBeLessThan(WAIT_MS);
  });

  it('reaches a session between two streams', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const sessionId = newId();
    const before = await session(0, sessionId);
    await before.acquire(accountId, 90n);
    before.end();
    await before.ended;
    const asker = await session(0);
    const granted = asker.acquire(accountId, 60n);
    const after = await session(1, sessionId);
    await after.recalled();
    await after.giveBack(accountId, 90n);
    expect(await granted).toMatchObject({ refused: false, grantedTotal: 60n });
  });

  it('is recalled across replicas again after their listening connections broke', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holder = await session(1);
    await holder.acquire(accountId, 90n);
    const asker = await session(0);
    const { rowCount } = await ledger.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'tollgate-ledger-recall' AND datname = current_database()`,
    );
    expect(rowCount).toBe(2);
    const recalled = holder.recalled();
    const answering = recalled.then(() => holder.giveBack(accountId, 90n));
    let sequence = 0n;
    await expect
      .poll(
        async () => {
          sequence += 1n;
          return (await asker.acquire(accountId, 60n, sequence)).grantedTotal;
        },
        { timeout: 30_000 },
      )
      .toBe(60n);
    await answering;
  });
});

describe.each([
  ['of the same replica', 0],
  ['of another replica', 1],
])('a shortfall that joins a recall %s', (_, replica) => {
  it('is not refused when the recall ends early because the first shortfall was met', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holders = [await session(0), await session(0)] as const;
    await holders[0].acquire(accountId, 45n);
    await holders[1].acquire(accountId, 55n);
    const first = (await session(0)).acquire(accountId, 45n);
    for (const holder of holders) await holder.recalled();
    const joined = await join(replica, accountId, 55n);
    await holders[0].giveBack(accountId, 45n);
    expect(await first).toMatchObject({ grantedTotal: 45n });
    await holders[1].recalled();
    await holders[1].giveBack(accountId, 55n);
    expect(await joined.lease()).toMatchObject({ refused: false, grantedTotal: 55n });
  });

  it('is met by credit that became idle after its session had responded', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holders = [await session(0), await session(0)] as const;
    for (const holder of holders) await holder.acquire(accountId, 50n);
    const first = (await session(0)).acquire(accountId, 60n);
    for (const holder of holders) await holder.recalled();
    await holders[0].giveBack(accountId, 0n);
    const joined = await join(replica, accountId, 50n);
    await holders[1].giveBack(accountId, 0n);
    expect(await first).toMatchObject({ refused: true });
    await holders[0].recalled();
    await holders[0].giveBack(accountId, 50n);
    expect(await joined.lease()).toMatchObject({ refused: false, grantedTotal: 50n });
  });
});

it('a shortfall that joins a recall takes what suffices for it while the first one waits for more', async () => {
  const accountId = await fundedAccount(ledger.pool, 100n);
  const holders = [await session(0), await session(0)] as const;
  for (const holder of holders) await holder.acquire(accountId, 50n);
  const first = (await session(0)).acquire(accountId, 90n);
  for (const holder of holders) await holder.recalled();
  const joined = await join(0, accountId, 20n);
  const granted = timed(joined.lease());
  await holders[0].giveBack(accountId, 20n);
  expect((await granted).result).toMatchObject({ refused: false, grantedTotal: 20n });
  expect((await granted).ms).toBeLessThan(WAIT_MS / 2);
  await holders[1].giveBack(accountId, 50n);
  expect(await first).toMatchObject({ refused: true });
});

describe('the recall of a suspended account', () => {
  it('asks the sessions of every replica, and ends when all have responded', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const holders = [await session(0), await session(1)];
    for (const holder of holders) await holder.acquire(accountId, 40n);
    const { recalls } = ledger.replica(0).dependencies;
    const recalled = timed(recallCredit(ledger.pool, recalls, accountId, { suspended: true, sessionTtlMs: 15_000 }));
    for (const holder of holders)
      expect(await holder.recalled()).toEqual({ accountId, ceiling: BALANCE, suspended: true });
    for (const holder of holders) await holder.giveBack(accountId, 35n);
    expect((await recalled).ms).toBeLessThan(WAIT_MS);
    expect(await readBalance(ledger.pool, accountId)).toMatchObject({ available: 90n, leased: 10n });
  });

  it('ends at once if no session has credit', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const { recalls } = ledger.replica(0).dependencies;
    const options = { suspended: true, sessionTtlMs: 15_000 };
    expect((await timed(recallCredit(ledger.pool, recalls, accountId, options))).ms).toBeLessThan(WAIT_MS);
  });
});
