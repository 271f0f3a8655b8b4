import { CAP_PERIOD_OF_LABEL } from '@tollgate/common/cap-periods';
import { newId } from '@tollgate/common/ids';
import { inTransaction } from '@tollgate/common/postgres/pool';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquireCap, fundedAccount, giveBack, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { removeOldCaps } from '../jobs/retention.ts';
import type { Cap } from '../store/ceilings.ts';
import { openSessionCeiling } from '../store/session-ceilings.ts';
import { DAY_MS } from '../store/time.ts';

let ledger: LedgerFixture;
let accountId: string;
/** Of the ingress. */
let sessionId: string;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
beforeEach(async () => {
  accountId = await fundedAccount(ledger.pool, 1_000_000n);
  sessionId = await leasingSession(ledger.pool, accountId, 100_000n);
});
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

/** A session as a client names it. */
const newSession = (): Cap => ({ accountId, nodeId: newId(), period: 'session', startMs: 0 });

/** Asks for a part of a session, as an ingress that knows a limit. */
function acquire(cap: Cap, grantedTotalNeeded: bigint, limitNanos = 100n, sequence = 1n) {
  const revision = 2n ** 62n - limitNanos;
  return acquireCap(ledger.pool, sessionId, cap, { sequence, grantedTotalNeeded, limitNanos, revision });
}

/** Charges a request of the session that was held under its limit. */
function charge({ nodeId }: Cap, cost: bigint) {
  const node = { nodeId, name: 'nightly', scope: 'session', caps: [CAP_PERIOD_OF_LABEL.session] };
  return settle(ledger.pool, buildCharge({ accountId, sessionId, nodes: [node] }, cost));
}

async function rows(): Promise<{ node_id: string; spent: bigint; leased: bigint; limit_nanos: bigint }[]> {
  const { rows: found } = await ledger.pool.query<{
    node_id: string;
    spent: bigint;
    leased: bigint;
    limit_nanos: bigint;
  }>(
    `SELECT node_id::text, spent, leased, limit_nanos FROM ledger.ceilings
     WHERE account_id = $1 AND period = 'session' ORDER BY spent`,
    [accountId],
  );
  const { rows: counts } = await ledger.pool.query<{ client_sessions: number }>(
    'SELECT client_sessions FROM ledger.balances WHERE account_id = $1',
    [accountId],
  );
  expect(counts[0]?.client_sessions).toBe(found.length);
  return found;
}

describe("the ceiling of a client's session", () => {
  it('is lent up to the limit, and takes what its requests are charged', async () => {
    const cap = newSession();
    expect(await acquire(cap, 60n)).toMatchObject({ refused: false, grantedTotal: 60n, leftNanos: 100n });
    expect(await charge(cap, 25n)).toEqual([SettleOutcome.POSTED]);
    expect(await acquire(cap, 101n, 100n, 2n)).toMatchObject({ refused: true, leftNanos: 75n });
    expect(await rows()).toMatchObject([{ spent: 25n, leased: 35n }]);
  });

  it('keeps the lowest limit that any request had', async () => {
    const cap = newSession();
    await acquire(cap, 10n, 100n);
    expect(await acquire(cap, 20n, 500n, 2n)).toMatchObject({ limitNanos: 100n });
    expect(await acquire(cap, 20n, 30n, 3n)).toMatchObject({ limitNanos: 30n, refused: false });
    expect(await acquire(cap, 31n, 100n, 4n)).toMatchObject({ limitNanos: 30n, refused: true });
  });

  it('is no part of the usage of nodes', async () => {
    const cap = newSession();
    await acquire(cap, 60n);
    await charge(cap, 25n);
    const { rowCount } = await ledger.pool.query('SELECT FROM ledger.node_usage WHERE account_id = $1', [accountId]);
    expect(rowCount).toBe(0);
  });

  it('is counted under no other period', async () => {
    const node = { nodeId: newId(), name: 'nightly', scope: 'session', caps: [CAP_PERIOD_OF_LABEL.day] };
    expect(await settle(ledger.pool, buildCharge({ accountId, sessionId, nodes: [node] }, 5n))).toEqual([
      SettleOutcome.QUARANTINED,
    ]);
  });

  it('goes a week after the day of its last request, and then begins afresh', async () => {
    const [idle, used, leased] = [newSession(), newSession(), newSession()];
    for (const cap of [idle, used]) {
      await acquire(cap, 60n);
      await charge(cap, 25n);
      await giveBack(ledger.pool, sessionId, { accountId, cap }, 60n);
    }
    await acquire(leased, 10n);
    await ledger.pool.query('UPDATE ledger.ceilings SET used_day_ms = used_day_ms - $2 WHERE account_id = $1', [
      accountId,
      8 * DAY_MS,
    ]);
    // Asking for it is a use, also if nothing is granted.
    expect(await acquire(used, 1_000n, 100n, 2n)).toMatchObject({ refused: true });
    expect(await removeOldCaps(ledger.pool, Date.now(), 31 * DAY_MS)).toBe(1);
    expect((await rows()).map(({ node_id }) => node_id).sort()).toEqual([used.nodeId, leased.nodeId].sort());
    expect(await acquire(idle, 100n, 100n, 3n)).toMatchObject({ refused: false, leftNanos: 100n });
  });

  it('takes the place of the one that was not used for longest where an account has as many as it may', async () => {
    const sessions = [newSession(), newSession(), newSession()];
    for (const [age, cap] of sessions.entries()) {
      await open(cap, 2);
      await ledger.pool.query('UPDATE ledger.ceilings SET used_day_ms = $2 WHERE node_id = $1', [
        cap.nodeId,
        10_000 + age,
      ]);
    }
    expect((await rows()).map(({ node_id }) => node_id).sort()).toEqual(
      sessions
        .slice(1)
        .map(({ nodeId }) => nodeId)
        .sort(),
    );
    // What an open request holds stays.
    await acquire(sessions[1] ?? newSession(), 10n);
    await ledger.pool.query('UPDATE ledger.ceilings SET used_day_ms = 1 WHERE leased > 0');
    const last = newSession();
    await open(last, 2);
    expect((await rows()).map(({ node_id }) => node_id).sort()).toEqual([sessions[1]?.nodeId, last.nodeId].sort());
  });
});

function open(cap: Cap, max: number): Promise<void> {
  const limit = { limitNanos: 100n, revision: 1n, nowMs: BigInt(Date.now()) };
  return inTransaction(ledger.pool, (client) => openSessionCeiling(client, cap, limit, max));
}
