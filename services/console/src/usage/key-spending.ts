import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  type CapPeriodLabel,
  capLimit,
  cappedPeriods,
  periodEnd,
  periodStart,
} from '@tollgate/common/cap-periods';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { atLeastZero } from '@tollgate/common/money';
import type { ApiKey } from '@tollgate/proto/auth';
import type { KeyWithUsage, CapUsage as ShownCap } from '@tollgate/proto/console/keys';
import { type CapUsage, type LedgerServiceClient, UsageInterval } from '@tollgate/proto/ledger';

/** What keys have spent. */
export interface KeySpending {
  /** Those of caps, in their current periods. */
  capUsage: readonly CapUsage[];
  /** In the current UTC month, by key id. */
  monthNanos: ReadonlyMap<string, bigint>;
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
  const [capUsage, monthNanos] = await Promise.all([
    readCapUsage(ledger, accountId, keys, options),
    readMonth(ledger, accountId, keys, options),
  ]);
  return { capUsage, monthNanos };
}

async function readCapUsage(
  ledger: LedgerServiceClient,
  accountId: string,
  keys: readonly ApiKey[],
  options: UnaryCallOptions,
): Promise<CapUsage[]> {
  const nodes = cappedPeriods(keys.map(({ keyId: nodeId, caps }) => ({ nodeId, caps })));
  if (nodes.length === 0) return [];
  return (await unaryCall(ledger.getCapUsage.bind(ledger), { accountId, nodes }, options)).caps;
}

async function readMonth(
  ledger: LedgerServiceClient,
  accountId: string,
  keys: readonly ApiKey[],
  options: UnaryCallOptions,
): Promise<ReadonlyMap<string, bigint>> {
  if (keys.length === 0) return new Map();
  const nowMs = Date.now();
  const request = {
    accountId,
    startMs: BigInt(periodStart('month', nowMs)),
    endMs: BigInt(nowMs + 1),
    interval: UsageInterval.DAY,
    groupByModel: false,
    groupByKey: true,
    keyIds: keys.map(({ keyId }) => keyId),
    totals: true,
  };
  const { rows } = await unaryCall(ledger.getUsage.bind(ledger), request, options);
  return new Map(rows.map((row) => [row.keyId, row.costNanos]));
}
