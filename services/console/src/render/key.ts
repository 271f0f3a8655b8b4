import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  type CapPeriodLabel,
  periodEnd,
  periodStart,
} from '@tollgate/common/cap-periods';
import { formatDollars } from '@tollgate/common/money';
import { type ApiKey, type Confirmation, KeyStatus, type SpendingCaps } from '@tollgate/proto/auth';
import type { CapUsage } from '@tollgate/proto/ledger';
import { renderCaps } from '../attributes/caps.ts';
import { renderLimits } from '../attributes/limits.ts';
import { renderTime, renderTimeOrNull } from './time.ts';

export function renderKey(key: ApiKey, nowMs: number) {
  return {
    key_id: key.keyId,
    account_id: key.accountId,
    name: key.name,
    status: statusOf(key, nowMs),
    display_prefix: key.displayPrefix,
    last_four: key.lastFour,
    created_at: renderTime(key.createdAtMs),
    created_by: key.createdById === '' ? null : { person_id: key.createdById, name: key.createdByName },
    expires_at: renderTimeOrNull(key.expiresAtMs),
    deleted_at: renderTimeOrNull(key.deletedAtMs),
    allowed_models: key.allowedModels,
    caps: renderCaps(key.caps),
    limits: renderLimits(key.limits),
    tags: key.tags,
    last_used_at: renderTimeOrNull(key.lastUsedAtMs),
    previous_value_until: renderTimeOrNull(key.previousValueUntilMs),
  };
}

function statusOf(key: ApiKey, nowMs: number): 'active' | 'expired' | 'deleted' {
  if (key.status === KeyStatus.DELETED) return 'deleted';
  return key.expiresAtMs !== 0n && key.expiresAtMs <= nowMs ? 'expired' : 'active';
}

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
    ...renderKey(key, nowMs),
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
