import type { LeaseState } from '@tollgate/proto/ledger';

/** What an answer about a lease is made of, nano-dollars. */
export interface LeaseView {
  accountId: string;
  /** The acquire that is answered; 0n for anything else. */
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

/** The answer for an account the ledger does not know: it has no credit. */
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
