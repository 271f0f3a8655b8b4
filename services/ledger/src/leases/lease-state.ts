import { atLeastZero } from '@tollgate/common/money';
import type { Ceiling, CeilingState, LeaseState } from '@tollgate/proto/ledger';
import type { CapLease } from '../store/ceiling-leases.ts';
import type { Cap } from '../store/ceilings.ts';
import { ceilingName } from './ceilings.ts';

/** A session's lease of one ceiling, and the ceiling; nano-dollars. */
export interface LeaseView {
  /** Undefined for the balance. */
  cap: Cap | undefined;
  granted: bigint;
  spent: bigint;
  returned: bigint;
  /** What all sessions together can still spend. */
  left: bigint;
  /** The part of it on no lease; negative after a limit was lowered below what is spent and leased. */
  room: bigint;
  limit: bigint;
  revision: bigint;
}

type Counters = Pick<LeaseView, 'granted' | 'spent' | 'returned'>;

/** A lease of the balance, or of a cap. */
export function leaseView(lease: Counters | CapLease, balance: { available: bigint; leased: bigint }): LeaseView {
  const { granted, spent, returned } = lease;
  if (!('cap' in lease)) {
    const left = balance.available + balance.leased;
    return { cap: undefined, granted, spent, returned, left, room: balance.available, limit: 0n, revision: 0n };
  }
  const { cap, limit, revision } = lease;
  const left = limit - lease.capSpent;
  return { cap, granted, spent, returned, left, room: left - lease.capLeased, limit, revision };
}

/** The message about a lease. */
export function ceilingState(view: LeaseView, short = false): CeilingState {
  return {
    ceiling: ceilingName(view.cap),
    grantedTotal: view.granted,
    spentTotal: view.spent,
    returnedTotal: view.returned,
    short,
    leftNanos: atLeastZero(view.left),
    availableNanos: atLeastZero(view.room),
    limitNanos: view.limit,
    revision: view.revision,
  };
}

/** The response to names that are malformed: nothing is leased. */
export function unknownState(
  accountId: string,
  names: readonly (Ceiling | undefined)[],
  acquired?: { sequence: bigint },
): LeaseState {
  const isShort = acquired !== undefined;
  const none = { cap: undefined, granted: 0n, spent: 0n, returned: 0n, left: 0n, room: 0n, limit: 0n, revision: 0n };
  return {
    accountId,
    sequence: acquired?.sequence ?? 0n,
    refused: isShort,
    suspended: false,
    ceilings: names.map((ceiling) => ({ ...ceilingState(none, isShort), ceiling })),
  };
}
