import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  type CapPeriodLabel,
  periodEnd,
  periodStart,
} from '@tollgate/common/cap-periods';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { ApiKey, SpendingCaps } from '@tollgate/proto/auth';
import type { KeyWithUsage, CapUsage as ShownCap } from '@tollgate/proto/console/keys';
import { type CapUsage, type LedgerServiceClient, UsageInterval } from '@tollgate/proto/ledger';

type Spent = ReadonlyMap<string, bigint>;
const NOTHING: Spent = new Map();

/** What keys have spent, by key id. */
export interface KeySpending {
  /** Those of caps, in their current periods. */
  capUsage: readonly CapUsage[];
  /** In the current UTC month. */
  monthNanos: ReadonlyMap<string, bigint>;
}

/** A key with what it has spent. */
export function withUsage(key: ApiKey, { capUsage, monthNanos }: KeySpending, nowMs: number): KeyWithUsage {
  return {
    key,
    capUsage: CAP_PERIODS.flatMap((period) => {
      const limitNanos = capLimit(key.caps, period);
      if (limitNanos === undefined) return [];
      const isUsed = (usage: CapUsage) => usage.keyId === key.keyId && usage.period === CAP_PERIOD_OF_LABEL[period];
      return [capOf(period, limitNanos, capUsage.find(isUsed), nowMs)];
    }),
    spentThisMonthNanos: monthNanos.get(key.keyId) ?? 0n,
  };
}

/** @param used undefined: nothing is spent */
function capOf(period: CapPeriodLabel, limitNanos: bigint, used: CapUsage | undefined, nowMs: number): ShownCap {
  const { spentNanos = 0n, heldNanos = 0n } = used ?? {};
  // A cap that was lowered may be less than what is spent.
  const leftNanos = limitNanos - spentNanos - heldNanos;
  const end = periodEnd(period, used === undefined ? periodStart(period, nowMs) : Number(used.periodStartMs));
  return {
    period: CAP_PERIOD_OF_LABEL[period],
    limitNanos,
    spentNanos,
    heldNanos,
    leftNanos: leftNanos > 0n ? leftNanos : 0n,
    // The ledger learns of a raised cap by the next request.
    reached: spentNanos >= limitNanos || (used?.reached === true && used.limitNanos === limitNanos),
    resetsAtMs: end === undefined ? undefined : BigInt(end),
  };
}

/** The limit of a cap in nano-dollars; undefined: not set. */
function capLimit(caps: SpendingCaps | undefined, period: CapPeriodLabel): bigint | undefined {
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

/** What keys of one account have spent of their caps, and in this month. */
export async function readKeySpending(
  ledger: LedgerServiceClient,
  accountId: string,
  keys: readonly ApiKey[],
  options: UnaryCallOptions,
): Promise<KeySpending> {
  const keyIds = keys.map(({ keyId }) => keyId);
  if (keyIds.length === 0) return { capUsage: [], monthNanos: NOTHING };
  const nowMs = Date.now();
  const spentIn = (period: CapPeriodLabel, ids: readonly string[]) =>
    readSpent(ledger, { accountId, keyIds: [...ids], startMs: periodStart(period, nowMs), nowMs }, options);
  const [{ caps }, monthNanos] = await Promise.all([
    unaryCall(ledger.getCapUsage.bind(ledger), { accountId, keyIds }, options),
    spentIn('month', keyIds),
  ]);
  const unused = CAP_PERIODS.map((period) => ({ period, keyIds: withUnusedCap(keys, period, caps) }));
  const counted = await Promise.all(
    unused.map(async ({ period, keyIds: ids }) => {
      const spent = period === 'month' || ids.length === 0 ? monthNanos : await spentIn(period, ids);
      return ids.map((keyId) => usageOf(keyId, period, spent.get(keyId) ?? 0n, nowMs));
    }),
  );
  return { capUsage: [...caps, ...counted.flat()], monthNanos };
}

/**
 * Keys with a cap that no request has used in its current period. The ledger learns of a cap by its first request, and then
 * counts from the start of the period what the key has spent; until then this is read from the roll-ups.
 */
function withUnusedCap(keys: readonly ApiKey[], period: CapPeriodLabel, used: readonly CapUsage[]): string[] {
  const known = new Set(used.filter((usage) => usage.period === CAP_PERIOD_OF_LABEL[period]).map(({ keyId }) => keyId));
  return keys
    .filter(({ keyId, caps }) => capLimit(caps, period) !== undefined && !known.has(keyId))
    .map(({ keyId }) => keyId);
}

function usageOf(keyId: string, period: CapPeriodLabel, spentNanos: bigint, nowMs: number): CapUsage {
  const startMs = periodStart(period, nowMs);
  return {
    keyId,
    period: CAP_PERIOD_OF_LABEL[period],
    periodStartMs: BigInt(startMs),
    periodEndMs: BigInt(periodEnd(period, startMs) ?? 0),
    spentNanos,
    heldNanos: 0n,
    limitNanos: 0n,
    reached: false,
  };
}

interface SpentQuery {
  accountId: string;
  keyIds: string[];
  startMs: number;
  nowMs: number;
}

/** What keys have spent since a time, by key id. */
async function readSpent(
  ledger: LedgerServiceClient,
  { accountId, keyIds, startMs, nowMs }: SpentQuery,
  options: UnaryCallOptions,
): Promise<Spent> {
  const request = {
    accountId,
    startMs: BigInt(startMs),
    endMs: BigInt(nowMs + 1),
    interval: UsageInterval.DAY,
    groupByModel: false,
    groupByKey: true,
    keyIds,
    totals: true,
  };
  const { rows } = await unaryCall(ledger.getUsage.bind(ledger), request, options);
  return new Map(rows.map((row) => [row.keyId, row.costNanos]));
}
