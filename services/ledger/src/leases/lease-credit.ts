import { newId } from '@tollgate/common/ids';
import { atLeastZero, minBigInt } from '@tollgate/common/money';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { LeaseState } from '@tollgate/proto/ledger';
import { ensureAccounts, type LockedBalance, lockBalance } from '../store/balances.ts';
import { type CapLease, grantCaps, readCapLeases, returnCapPart } from '../store/ceiling-leases.ts';
import { type AccountCeiling, type Cap, writeCap } from '../store/ceilings.ts';
import { grantLease, readLease, readOpenLease, returnLease } from '../store/leases.ts';
import { openSessionCeiling, useSessionCeiling } from '../store/session-ceilings.ts';
import type { Acquire, CeilingNeed } from './ceilings.ts';
import { grantSize } from './grant-size.ts';
import { ceilingState, type LeaseView, leaseView } from './lease-state.ts';

/** A lease that an acquire names. */
interface NeededLease extends LeaseView {
  /** What is missing of it; 0n or less for nothing. */
  need: bigint;
}

/**
 * Grows a session's leases until their cumulative grants reach what is needed, all of them or none, and applies limits of
 * later revisions. A repeated request finds the grants made, and one older than the last that a lease was granted gets
 * nothing more of it, so no need is met twice.
 *
 * A cap is also short when nothing more of it is needed, as long as more is spent and leased than it allows. A session that
 * has seen a cap change uses its lease only after a response that is no refusal, and then nothing leased exceeds the limit.
 *
 * @returns 'fenced' when the session may not be used
 */
export function acquireCredit(pool: Pool, sessionId: string, acquire: Acquire): Promise<LeaseState | 'fenced'> {
  return inTransaction(pool, async (client) => {
    const { accountId, sequence } = acquire;
    const balance = (await lockAccount(client, acquire)) ?? UNKNOWN;
    const leases = await readNeeded(client, sessionId, acquire, balance);
    if (leases === 'fenced') return 'fenced';
    const { suspended } = balance;
    const sized = leases.map((lease) => ({ ...lease, amount: amountOf(lease, suspended) }));
    const refused = sized.some(({ amount }) => amount === undefined);
    if (!refused) await grant(client, sessionId, acquire, sized, balance.nowMs);
    const ceilings = sized.map(({ amount, ...lease }) => {
      const more = refused ? 0n : (amount ?? 0n);
      const after = { ...lease, granted: lease.granted + more, room: lease.room - more };
      return ceilingState(after, amount === undefined);
    });
    return { accountId, sequence, refused, suspended, ceilings };
  });
}

/** The balance of an account that never had money. */
const UNKNOWN = { available: 0n, leased: 0n, suspended: false, nowMs: 0n };

/** Locks the account's balance, which guards its caps. Creates it for a cap of an account that never had money. */
async function lockAccount(client: PoolClient, { accountId, needs }: Acquire): Promise<LockedBalance | undefined> {
  const balance = await lockBalance(client, accountId);
  if (balance !== undefined || needs.every(({ cap }) => cap === undefined)) return balance;
  await ensureAccounts(client, [accountId]);
  return lockBalance(client, accountId);
}

/** Reads the leases that an acquire names, in its order: the balance's by one statement, the caps' by another. */
async function readNeeded(
  client: PoolClient,
  sessionId: string,
  { accountId, sequence, needs }: Acquire,
  balance: Pick<LockedBalance, 'available' | 'leased' | 'nowMs'>,
): Promise<NeededLease[] | 'fenced'> {
  const caps = needs.flatMap(({ cap }) => cap ?? []);
  const ofBalance = caps.length < needs.length ? await readLease(client, accountId, sessionId) : NO_LEASE;
  const ofCaps = caps.length > 0 ? await readCapLeases(client, accountId, sessionId, caps) : [];
  if (ofBalance === undefined || ofCaps === undefined) return 'fenced';
  const byCap = new Map(ofCaps.map((lease) => [lease.cap, lease]));
  const needed: NeededLease[] = [];
  for (const need of needs) {
    const known = need.cap && byCap.get(need.cap);
    const lease = known === undefined ? ofBalance : await withLatestLimit(client, known, need, balance.nowMs);
    const isLate = sequence < lease.acquireSequence;
    needed.push({ ...leaseView(lease, balance), need: isLate ? 0n : need.grantedTotalNeeded - lease.granted });
  }
  return needed;
}

const NO_LEASE = { granted: 0n, spent: 0n, returned: 0n, acquireSequence: 0n };

async function withLatestLimit(
  client: PoolClient,
  known: CapLease,
  { limitNanos, revision }: CeilingNeed,
  nowMs: bigint,
): Promise<CapLease> {
  const isSession = known.cap.period === 'session';
  if (isSession && known.exists) await useSessionCeiling(client, known.cap, { usedDayMs: known.usedDayMs, nowMs });
  if (known.exists && known.revision >= revision) return known;
  if (isSession && !known.exists) {
    await openSessionCeiling(client, known.cap, { limitNanos, revision, nowMs });
    return { ...known, exists: true, limit: limitNanos, revision };
  }
  const capSpent = await writeCap(client, known.cap, { limitNanos, revision });
  return { ...known, exists: true, limit: limitNanos, revision, capSpent };
}

/** How much to grant of a lease; undefined when its ceiling is short. */
function amountOf({ cap, need, room }: NeededLease, suspended: boolean): bigint | undefined {
  if (need <= 0n) return room < 0n ? undefined : 0n;
  if (cap === undefined && suspended) return undefined;
  return grantSize(need, room);
}

/** Grants what an acquire needs: of the balance with its transfer, and of all caps by one statement. */
async function grant(
  client: PoolClient,
  sessionId: string,
  { accountId, sequence }: Acquire,
  leases: readonly { cap: Cap | undefined; amount: bigint | undefined }[],
  nowMs: bigint,
): Promise<void> {
  const ofCaps: { cap: Cap; amount: bigint }[] = [];
  for (const { cap, amount = 0n } of leases) {
    if (amount === 0n) continue;
    if (cap !== undefined) ofCaps.push({ cap, amount });
    else await grantLease(client, { accountId, sessionId, transferId: newId(), amount, sequence, nowMs });
  }
  if (ofCaps.length > 0) await grantCaps(client, { accountId, sessionId, grants: ofCaps, sequence });
}

export interface Return extends AccountCeiling {
  /** Cumulative over the session. */
  returnedTotal: bigint;
}

/**
 * Takes back what is unspent of a session's lease, up to the given cumulative total and at most its remaining credit.
 *
 * @returns 'fenced' when the session may not be used: all of its credit is or will be freed
 */
export function returnCredit(pool: Pool, sessionId: string, request: Return): Promise<LeaseState | 'fenced'> {
  return inTransaction(pool, async (client) => {
    const { accountId, cap } = request;
    const balance = (await lockBalance(client, accountId)) ?? UNKNOWN;
    const lease =
      cap === undefined
        ? await readLease(client, accountId, sessionId)
        : (await readCapLeases(client, accountId, sessionId, [cap]))?.[0];
    if (lease === undefined) return 'fenced';
    const unspent = lease.granted - lease.spent;
    const amount = atLeastZero(minBigInt(request.returnedTotal, unspent) - lease.returned);
    if (amount > 0n) await takeBack(client, sessionId, request, amount, balance.nowMs);
    const view = leaseView(lease, balance);
    const after = ceilingState({ ...view, returned: view.returned + amount, room: view.room + amount });
    return { accountId, sequence: 0n, refused: false, suspended: balance.suspended, ceilings: [after] };
  });
}

/** Frees an unspent part of a lease. */
async function takeBack(
  client: PoolClient,
  sessionId: string,
  { accountId, cap }: AccountCeiling,
  amount: bigint,
  nowMs: bigint,
): Promise<void> {
  if (cap !== undefined) await returnCapPart(client, cap, sessionId, amount);
  else await returnLease(client, { accountId, sessionId, transferId: newId(), amount, nowMs });
}

export interface Release extends AccountCeiling {
  sessionId: string;
  keepNanos: bigint;
  /** The database whose acknowledgements the amount to keep is based on. */
  databaseId: string;
}

/**
 * Frees the credit of a session's lease beyond what it keeps; the session makes no new holds. Does nothing to an ended session,
 * which is freed completely. A session opened before a restore may still be charged and keeps what it needs as well.
 *
 * @returns false if this is another database: it may be missing charges that the ingress no longer keeps credit for
 */
export function releaseCredit(pool: Pool, release: Release): Promise<boolean> {
  const { sessionId, accountId, keepNanos } = release;
  return inTransaction(pool, async (client) => {
    const balance = await lockBalance(client, accountId);
    const lease = await readOpenLease(client, sessionId, release);
    if (lease !== undefined && lease.databaseId !== release.databaseId) return false;
    const amount = (lease?.remainingNanos ?? 0n) - keepNanos;
    if (balance !== undefined && amount > 0n) await takeBack(client, sessionId, release, amount, balance.nowMs);
    return true;
  });
}
