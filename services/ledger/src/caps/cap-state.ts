import type { CapName, CapState } from '@tollgate/proto/ledger';
import type { Cap } from '../settle/sum-caps.ts';
import type { CapCounters } from '../store/lock-cap.ts';
import { capName } from './cap-name.ts';

/** The answer about a session's part of a cap. */
export function capState(cap: Cap, counters: CapCounters, sequence: bigint, refused: boolean): CapState {
  return {
    cap: capName(cap),
    sequence,
    grantedTotal: counters.granted,
    spentTotal: counters.spent,
    returnedTotal: counters.returned,
    refused,
    limitNanos: counters.limit,
    leftNanos: atLeastZero(counters.limit - counters.capSpent),
    availableNanos: atLeastZero(roomOf(counters)),
    keyRevision: counters.keyRevision,
  };
}

/** What no session has of a cap; below zero where the cap was lowered beneath what is spent and lent. */
export function roomOf({ limit, capSpent, capLeased }: CapCounters): bigint {
  return limit - capSpent - capLeased;
}

/** The answer about a cap the ledger does not know. */
export function unknownCap(cap: CapName | undefined, sequence: bigint, refused: boolean): CapState {
  return {
    cap,
    sequence,
    grantedTotal: 0n,
    spentTotal: 0n,
    returnedTotal: 0n,
    refused,
    limitNanos: 0n,
    leftNanos: 0n,
    availableNanos: 0n,
    keyRevision: 0n,
  };
}

function atLeastZero(nanos: bigint): bigint {
  return nanos > 0n ? nanos : 0n;
}
