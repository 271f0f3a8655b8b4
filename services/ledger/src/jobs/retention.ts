import { periodStart } from '@tollgate/common/cap-periods';
import { BEFORE_ALL } from '@tollgate/common/ids';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { KEEP_REFUSALS_MS } from '../refusals/check-refusal.ts';
import { lockBalances } from '../store/balances.ts';
import { accountsWithOldCaps, removeCaps } from '../store/ceilings.ts';
import { removeEndedEvents } from '../store/events.ts';
import { accountsWithLease, removeLeases } from '../store/leases.ts';
import { removeOldRefusalCounts, removeOldUnknownKeys } from '../store/refusal-counts.ts';
import { removeOldRefusals } from '../store/refusals.ts';
import { markLeasesGone, markLeasesRemoved, sessionsWithOldLeases } from '../store/sessions.ts';
import { DAY_MS, MAX_CLOCK_SKEW_MS, MAX_START_SKEW_MS } from '../store/time.ts';

/** Maximum leases removed in one transaction. */
const LEASE_BATCH = 500;
/** Maximum sessions processed in one run. */
const SESSION_BATCH = 100;
/**
 * Removes the leases of sessions that closed longer ago than any charge can be late: they have no credit left and were
 * reconciled with their charges. The sessions themselves stay, one row each, so that they remain fenced.
 *
 * @returns how many leases were removed
 */
export async function removeOldLeases(pool: Pool, closedBeforeMs: number): Promise<number> {
  let removed = 0;
  for (const sessionId of await sessionsWithOldLeases(pool, closedBeforeMs, SESSION_BATCH)) {
    await markLeasesRemoved(pool, sessionId);
    for (let after: string | undefined = BEFORE_ALL; after !== undefined; ) {
      const from: string = after;
      const step = await inTransaction(pool, (client) => removeLeaseBatch(client, sessionId, from));
      removed += step.removed;
      after = step.next;
    }
    await markLeasesGone(pool, sessionId);
  }
  return removed;
}

/** Removes the next leases of a session, after locking their balances. */
async function removeLeaseBatch(
  client: PoolClient,
  sessionId: string,
  after: string,
): Promise<{ removed: number; next: string | undefined }> {
  const accountIds = await accountsWithLease(client, sessionId, after, LEASE_BATCH);
  if (accountIds.length === 0) return { removed: 0, next: undefined };
  await lockBalances(client, accountIds);
  return { removed: await removeLeases(client, sessionId, accountIds), next: accountIds.at(-1) };
}

/** Maximum accounts in one transaction: few enough that their settlements hardly wait. */
const ACCOUNT_BATCH = 100;

/** Maximum transactions in one run; the next run continues. */
const MAX_STEPS = 1_000;

/** How long the ceiling of a session, as clients name it, is kept after the day of its last request. */
const SESSION_KEEP_MS = 7 * DAY_MS;

/**
 * Removes the caps of days, weeks and months that can get no further charge, because later ones are quarantined, and of sessions
 * without a request for a week. Several replicas may run this concurrently. If an ingress asks for a removed cap, it is created
 * again from the usage roll-up; a session begins at nothing.
 *
 * @param maxAgeMs maximum age of a charge
 * @returns how many caps were removed
 */
export async function removeOldCaps(pool: Pool, nowMs: number, maxAgeMs: number): Promise<number> {
  const oldestMs = nowMs - maxAgeMs - MAX_START_SKEW_MS - MAX_CLOCK_SKEW_MS;
  const old = {
    dayMs: periodStart('day', oldestMs),
    weekMs: periodStart('week', oldestMs),
    monthMs: periodStart('month', oldestMs),
    sessionMs: periodStart('day', nowMs - SESSION_KEEP_MS),
  };
  let removed = 0;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const count = await inTransaction(pool, async (client) => {
      const accounts = await accountsWithOldCaps(client, old, ACCOUNT_BATCH);
      if (accounts.length === 0) return 0;
      await lockBalances(client, accounts);
      return removeCaps(client, accounts, old);
    });
    if (count === 0) break;
    removed += count;
  }
  return removed;
}

const EVENT_RETENTION = [
  { givenUp: false, keepMs: 7 * DAY_MS },
  { givenUp: true, keepMs: 90 * DAY_MS },
] as const;

const EVENT_BATCH = 1_000;

/** Removes events a week after their delivery (or without a webhook, after they were logged), and given up ones after three months. */
export async function removeOldEvents(pool: Pool): Promise<void> {
  for (const which of EVENT_RETENTION) {
    let removed: number;
    do removed = await removeEndedEvents(pool, which, EVENT_BATCH);
    while (removed === EVENT_BATCH);
  }
}

/** As long as a page of the console looks back. */
const REFUSAL_COUNTS_KEEP_MS = 366 * DAY_MS;
const UNKNOWN_KEYS_KEEP_MS = 2 * DAY_MS;
const REFUSAL_BATCH = 1_000;

/** Removes refusals after a week, their counts after a year, and counts of unknown keys after two days. */
export async function removeOldRefusalRecords(pool: Pool, nowMs: number): Promise<void> {
  const batches = [
    () => removeOldRefusals(pool, nowMs - KEEP_REFUSALS_MS, REFUSAL_BATCH),
    () => removeOldRefusalCounts(pool, nowMs - REFUSAL_COUNTS_KEEP_MS, REFUSAL_BATCH),
  ];
  for (const removeBatch of batches) {
    for (let step = 0; step < MAX_STEPS; step += 1) if ((await removeBatch()) < REFUSAL_BATCH) break;
  }
  await removeOldUnknownKeys(pool, nowMs - UNKNOWN_KEYS_KEEP_MS);
}
