import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { lockBalances } from '../store/balances.ts';
import { accountsWithOldCaps, removeCaps } from '../store/caps.ts';
import { removeEndedEvents } from '../store/events.ts';
import { accountsWithLease, removeLeases } from '../store/leases.ts';
import { forgetSessionLeases, markLeasesRemoved, sessionsWithOldLeases } from '../store/sessions.ts';
import { DAY_MS, MAX_CLOCK_SKEW_MS, MAX_START_SKEW_MS, monthStart } from '../store/time.ts';

/** Leases removed in one transaction. */
const LEASE_BATCH = 500;
/** Sessions looked at in one round. */
const SESSION_BATCH = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Removes the leases of sessions that closed longer ago than any charge can be late: they cover nothing, and were
 * compared with their charges. The sessions themselves stay, one row each, so that they stay fenced.
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
    await forgetSessionLeases(pool, sessionId);
  }
  return removed;
}

/** Removes some leases of a session, whose balances it locks first. */
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

/** Accounts whose old caps are removed in one transaction: few enough that their settlements hardly wait. */
const ACCOUNT_BATCH = 100;

/** Transactions of one round; what is left is done by the next one. */
const MAX_STEPS = 1_000;

/**
 * Removes the caps of days and months of which no charge can come any more, as later ones go to quarantine. Several
 * replicas may do this at once. Where an ingress asks for a removed one again, it is made anew from the usage roll-up.
 *
 * @param maxAgeMs how old a charge may be
 * @returns how many caps were removed
 */
export async function removeOldCaps(pool: Pool, nowMs: number, maxAgeMs: number): Promise<number> {
  const oldestMs = nowMs - maxAgeMs - MAX_START_SKEW_MS - MAX_CLOCK_SKEW_MS;
  const dayBeforeMs = oldestMs - DAY_MS + 1;
  const monthBeforeMs = monthStart(oldestMs);
  let removed = 0;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const count = await inTransaction(pool, async (client) => {
      const accounts = await accountsWithOldCaps(client, dayBeforeMs, monthBeforeMs, ACCOUNT_BATCH);
      if (accounts.length === 0) return 0;
      await lockBalances(client, accounts);
      return removeCaps(client, accounts, dayBeforeMs, monthBeforeMs);
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

/** Removes events that were delivered, or had nowhere to go, a week ago, and those given up three months ago. */
export async function removeOldEvents(pool: Pool): Promise<void> {
  for (const which of EVENT_RETENTION) {
    let removed: number;
    do removed = await removeEndedEvents(pool, which, EVENT_BATCH);
    while (removed === EVENT_BATCH);
  }
}
