import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  type CapPeriodLabel,
  periodEnd,
  periodStart,
} from '@tollgate/common/cap-periods';
import { writerOf } from '@tollgate/common/descriptors/json';
import { formatDollars } from '@tollgate/common/money';
import type { ApiKey, Confirmation, SpendingCaps } from '@tollgate/proto/auth';
import type { CapUsage } from '@tollgate/proto/ledger';
import type { KeyJson } from '../api/keys.ts';

/** A key's JSON. */
export const renderKey = writerOf<ApiKey, KeyJson>('tollgate.auth.v1.ApiKey');

/** What keys have spent, by key id. */
export interface KeySpending {
  /** Those of caps, in their current periods. */
  capUsage: readonly CapUsage[];
  /** In the current UTC month. */
  monthNanos: ReadonlyMap<string, bigint>;
}

/** A key with what it has spent. */
export function renderKeyWithUsage(key: ApiKey, { capUsage, monthNanos }: KeySpending, nowMs: number) {
  return {
    ...renderKey(key),
    cap_usage: CAP_PERIODS.flatMap((period) => {
      const limit = capLimit(key.caps, period);
      return limit === undefined ? [] : [renderCap(key.keyId, period, limit, capUsage, nowMs)];
    }),
    spent_this_month: formatDollars(monthNanos.get(key.keyId) ?? 0n),
  };
}

/** The limit of a cap in nano-dollars; undefined: not set. */
export function capLimit(caps: SpendingCaps | undefined, period: CapPeriodLabel): bigint | undefined {
  switch (period) {
    case 'day':
      return caps?.dayNanos;
    case 'month':
      return caps?.monthNanos;
    case 'total':
      return caps?.totalNanos;
    default:
      return period satisfies never;
  }
}

function renderCap(keyId: string, period: CapPeriodLabel, limit: bigint, usages: readonly CapUsage[], nowMs: number) {
  const used = usages.find((usage) => usage.keyId === keyId && usage.period === CAP_PERIOD_OF_LABEL[period]);
  const spent = used?.spentNanos ?? 0n;
  const held = used?.heldNanos ?? 0n;
  // A cap that was lowered may be less than what is spent.
  const left = limit - spent - held;
  const end = periodEnd(period, used === undefined ? periodStart(period, nowMs) : Number(used.periodStartMs));
  return {
    period,
    limit: formatDollars(limit),
    spent: formatDollars(spent),
    held: formatDollars(held),
    left: formatDollars(left > 0n ? left : 0n),
    // The ledger learns of a raised cap by the next request.
    reached: spent >= limit || (used?.reached === true && used.limitNanos === limit),
    resets_at: end === undefined ? null : new Date(end).toISOString(),
  };
}

/** Whether an ingress has confirmed a change of a key. */
export function renderConfirmation(confirmation: Confirmation) {
  return {
    ingress: confirmation.ingressName,
    confirmed: confirmation.confirmed,
    after_ms: confirmation.confirmed ? Number(confirmation.confirmedAfterMs) : null,
  };
}
