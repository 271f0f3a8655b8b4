import { CAP_PERIOD_OF_LABEL, type CapPeriodLabel, periodStart } from '@tollgate/common/cap-periods';
import { isUuid } from '@tollgate/common/ids';
import { type CapName, CapPeriod, type CapState } from '@tollgate/proto/ledger';
import type { Cap, CapCounters } from '../store/caps.ts';

/** The last millisecond of the year 9999. */
const LAST_TIME_MS = 253_402_300_799_999n;

/** The cap that a message names; undefined for malformed ids or a time that starts no such period. */
export function capOf(name: CapName | undefined): Cap | undefined {
  if (name === undefined || !isUuid(name.accountId) || !isUuid(name.keyId)) return undefined;
  const period = labelOf(name.period);
  if (period === undefined || name.periodStartMs < 0n || name.periodStartMs > LAST_TIME_MS) return undefined;
  const startMs = Number(name.periodStartMs);
  if (periodStart(period, startMs) !== startMs) return undefined;
  return { accountId: name.accountId.toLowerCase(), keyId: name.keyId.toLowerCase(), period, startMs };
}

/** The name of a cap in messages. */
export function capName(cap: Cap): CapName {
  return {
    accountId: cap.accountId,
    keyId: cap.keyId,
    period: CAP_PERIOD_OF_LABEL[cap.period],
    periodStartMs: BigInt(cap.startMs),
  };
}

function labelOf(period: CapPeriod): CapPeriodLabel | undefined {
  switch (period) {
    case CapPeriod.DAY:
      return 'day';
    case CapPeriod.MONTH:
      return 'month';
    case CapPeriod.TOTAL:
      return 'total';
    case CapPeriod.UNSPECIFIED:
      return undefined;
    default:
      period satisfies never;
      return undefined;
  }
}

/** The message about a session's part of a cap. */
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

/** The unallocated rest of a cap; negative after its limit was lowered below what is spent and lent. */
export function roomOf({ limit, capSpent, capLeased }: CapCounters): bigint {
  return limit - capSpent - capLeased;
}

/** The message about a cap that the ledger does not know. */
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
