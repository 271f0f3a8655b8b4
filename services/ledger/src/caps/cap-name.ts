import { CAP_PERIOD_OF_LABEL, type CapPeriodLabel, periodStart } from '@tollgate/common/cap-periods';
import { isUuid } from '@tollgate/common/ids';
import { type CapName, CapPeriod } from '@tollgate/proto/ledger';
import type { Cap } from '../settle/sum-caps.ts';

/** The last millisecond of the year 9999. */
const LAST_TIME_MS = 253_402_300_799_999n;

/** The cap that a message names; undefined when it names none: bad ids, or a start that begins no such period. */
export function capOf(name: CapName | undefined): Cap | undefined {
  if (name === undefined || !isUuid(name.accountId) || !isUuid(name.keyId)) return undefined;
  const period = labelOf(name.period);
  if (period === undefined || name.periodStartMs < 0n || name.periodStartMs > LAST_TIME_MS) return undefined;
  const startMs = Number(name.periodStartMs);
  if (periodStart(period, startMs) !== startMs) return undefined;
  return { accountId: name.accountId.toLowerCase(), keyId: name.keyId.toLowerCase(), period, startMs };
}

/** The message's name of a cap. */
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
