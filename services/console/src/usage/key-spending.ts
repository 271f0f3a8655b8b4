import { readCapUsage, readSpent, type SpentByKey } from '@tollgate/common/billing/cap-usage';
import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  type CapPeriodLabel,
  capLimit,
  periodEnd,
  periodStart,
} from '@tollgate/common/cap-periods';
import type { UnaryCallOptions } from '@tollgate/common/grpc/client';
import { atLeastZero } from '@tollgate/common/money';
import type { ApiKey } from '@tollgate/proto/auth';
import type { KeyWithUsage, CapUsage as ShownCap } from '@tollgate/proto/console/keys';
import type { CapUsage, LedgerServiceClient } from '@tollgate/proto/ledger';

/** What keys have spent, by key id. */
export interface KeySpending {
  /** Those of caps, in their current periods. */
  capUsage: readonly CapUsage[];
  /** In the current UTC month. */
  monthNanos: SpentByKey;
}

/** A key with what it has spent. */
export function withUsage(key: ApiKey, { capUsage, monthNanos }: KeySpending, nowMs: number): KeyWithUsage {
  return {
    key,
    capUsage: CAP_PERIODS.flatMap((period) => {
      const limitNanos = capLimit(key.caps, period);
      if (limitNanos === undefined) return [];
      const isUsed = (usage: CapUsage) => usage.nodeId === key.keyId && usage.period === CAP_PERIOD_OF_LABEL[period];
      return [capOf(period, limitNanos, capUsage.find(isUsed), nowMs)];
    }),
    spentThisMonthNanos: monthNanos.get(key.keyId) ?? 0n,
  };
}

/** @param used undefined: nothing is spent */
function capOf(period: CapPeriodLabel, limitNanos: bigint, used: CapUsage | undefined, nowMs: number): ShownCap {
  const { spentNanos = 0n, heldNanos = 0n } = used ?? {};
  // A cap that was lowered may be less than what is spent.
  const leftNanos = atLeastZero(limitNanos - spentNanos - heldNanos);
  const end = periodEnd(period, used === undefined ? periodStart(period, nowMs) : Number(used.periodStartMs));
  return {
    period: CAP_PERIOD_OF_LABEL[period],
    limitNanos,
    spentNanos,
    heldNanos,
    leftNanos,
    // The ledger learns of a raised cap by the next request.
    reached: spentNanos >= limitNanos || (used?.reached === true && used.limitNanos === limitNanos),
    resetsAtMs: end === undefined ? undefined : BigInt(end),
  };
}

/** What keys of one account have spent of their caps, and in this month. */
export async function readKeySpending(
  ledger: LedgerServiceClient,
  accountId: string,
  keys: readonly ApiKey[],
  options: UnaryCallOptions,
): Promise<KeySpending> {
  const keyIds = keys.map(({ keyId }) => keyId);
  if (keyIds.length === 0) return { capUsage: [], monthNanos: new Map() };
  const nowMs = Date.now();
  const spentIn = (period: CapPeriodLabel, ids: readonly string[]) =>
    readSpent(ledger, { accountId, keyIds: [...ids], period, nowMs }, options);
  const month = spentIn('month', keyIds);
  const [capUsage, monthNanos] = await Promise.all([
    readCapUsage(ledger, accountId, keys, options, (period, ids) =>
      period === 'month' ? month : spentIn(period, ids),
    ),
    month,
  ]);
  return { capUsage, monthNanos };
}
