import { newId } from '@tollgate/common/ids';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { Charge, LeaseState, SettleOutcome } from '@tollgate/proto/ledger';
import { makeDeposit } from '../src/deposits/make-deposit.ts';
import { acquireCredit, returnCredit } from '../src/leases/lease-credit.ts';
import { settleIsolating } from '../src/settle/settle-records.ts';
import { settlementRecord } from '../src/settle/settlement-record.ts';
import { ISSUE_AFTER_MS, issueStatements } from '../src/statements/issue-statements.ts';
import type { AccountCeiling, Cap } from '../src/store/ceilings.ts';
import { openSession } from '../src/store/sessions.ts';
import { monthName, monthStart } from '../src/store/time.ts';
import { type FlatState, flat } from './lease-call.ts';
import { MAX_AGE_MS, silent } from './ledger-fixture.ts';

/** A new account with this much credit. */
export async function fundedAccount(pool: Pool, amountNanos: bigint): Promise<string> {
  const accountId = newId();
  await makeDeposit(pool, { accountId, kind: 'deposit', amountNanos, idempotencyKey: 'first', reason: 'test' });
  return accountId;
}

/** A new open session. */
export async function openedSession(pool: Pool): Promise<string> {
  const sessionId = newId();
  await openSession(pool, sessionId, 'test-ingress');
  return sessionId;
}

/** A session that holds a lease of at least this much on the account. */
export async function leasingSession(pool: Pool, accountId: string, needNanos: bigint): Promise<string> {
  const sessionId = await openedSession(pool);
  await acquire(pool, sessionId, accountId, needNanos);
  return sessionId;
}

/** A key of an account, and a session that leases credit of it. */
export interface LeasedKey {
  accountId: string;
  sessionId: string;
  keyId: string;
}

/** A new key of a new account with this much credit, and a session that leases all of it. */
export async function leasedKey(pool: Pool, amountNanos: bigint): Promise<LeasedKey> {
  const accountId = await fundedAccount(pool, amountNanos);
  return { accountId, sessionId: await leasingSession(pool, accountId, amountNanos), keyId: newId() };
}

/** Acquires credit of the balance. */
export async function acquire(
  pool: Pool,
  sessionId: string,
  accountId: string,
  grantedTotalNeeded: bigint,
  sequence = 1n,
): Promise<FlatState> {
  const need = { cap: undefined, grantedTotalNeeded, limitNanos: 0n, revision: 0n };
  return flat(usable(await acquireCredit(pool, sessionId, { accountId, sequence, needs: [need], prefetch: false })));
}

/** What is asked of a cap. */
export interface CapDemand {
  grantedTotalNeeded: bigint;
  sequence: bigint;
  limitNanos: bigint;
  revision: bigint;
}

/** Acquires a part of one cap. */
export async function acquireCap(
  pool: Pool,
  sessionId: string,
  cap: Cap,
  { sequence, ...need }: CapDemand,
): Promise<FlatState> {
  const { accountId } = cap;
  const acquired = { accountId, sequence, needs: [{ cap, ...need }], prefetch: false };
  return flat(usable(await acquireCredit(pool, sessionId, acquired)));
}

/** Returns a part of one cap, or credit. */
export async function giveBack(
  pool: Pool,
  sessionId: string,
  { accountId, cap }: AccountCeiling,
  returnedTotal: bigint,
): Promise<FlatState> {
  return flat(usable(await returnCredit(pool, sessionId, { accountId, cap, returnedTotal })));
}

/** The state, which must be of a session that is not fenced. */
export function usable(state: LeaseState | 'fenced'): LeaseState {
  if (state === 'fenced') throw new Error('the session is fenced');
  return state;
}

/** Issues the account's statement of this month, as if it had ended. Returns the month. */
export async function issueThisMonth(pool: Pool, accountId: string): Promise<string> {
  const nowMs = Date.now();
  await issueStatements({ pool, logger: silent }, accountId, monthStart(nowMs, 1) + ISSUE_AFTER_MS);
  return monthName(nowMs);
}

export async function settle(pool: Pool, ...charges: Charge[]): Promise<SettleOutcome[]> {
  const plan = await settleIsolating(pool, charges.map(settlementRecord), { maxAgeMs: MAX_AGE_MS, logger: silent });
  return plan.outcomes;
}
