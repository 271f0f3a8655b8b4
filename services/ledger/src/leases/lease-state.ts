import type { LeaseState } from '@tollgate/proto/ledger';

/** The state of a lease and its account, nano-dollars. */
export interface LeaseView {
  accountId: string;
  /** The sequence of the acquire this responds to; 0n for anything else. */
  sequence: bigint;
  granted: bigint;
  spent: bigint;
  returned: bigint;
  available: bigint;
  leased: bigint;
  refused: boolean;
  /** Whether the account owes money. */
  suspended: boolean;
}

export function leaseState(view: LeaseView): LeaseState {
  return {
    accountId: view.accountId,
    sequence: view.sequence,
    grantedTotal: view.granted,
    spentTotal: view.spent,
    returnedTotal: view.returned,
    refused: view.refused,
    balanceNanos: view.available + view.leased,
    availableNanos: view.available,
    suspended: view.suspended,
  };
}

/** The state for an unknown account, which has no credit. */
export function unknownAccount(accountId: string, sequence: bigint, refused: boolean): LeaseState {
  return leaseState({
    accountId,
    sequence,
    granted: 0n,
    spent: 0n,
    returned: 0n,
    available: 0n,
    leased: 0n,
    refused,
    suspended: false,
  });
}
