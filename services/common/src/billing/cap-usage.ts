import { type CapUsage, type LedgerServiceClient, UsageInterval } from '@tollgate/proto/ledger';
import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  type CapPeriodLabel,
  capLimit,
  periodEnd,
  periodStart,
} from '../cap-periods.ts';
import { type UnaryCallOptions, unaryCall } from '../grpc/client.ts';
import type { SpendingCaps } from '../keys/index.ts';

/** A key with its caps. */
export interface KeyWithCaps {
  keyId: string;
  caps?: SpendingCaps | undefined;
}

/** What keys have spent, by key id. */
export type SpentByKey = ReadonlyMap<string, bigint>;

/**
 * What keys of one account have spent of their caps in the current periods. The ledger learns of a cap by its first request, and
 * then counts from the start of the period what the key has spent; until then this is read from the roll-ups.
 *
 * @param spentIn what the keys with these ids have spent since the start of a period
 */
export async function readCapUsage(
  ledger: LedgerServiceClient,
  accountId: string,
  keys: readonly KeyWithCaps[],
  options: UnaryCallOptions,
  spentIn = (period: CapPeriodLabel, keyIds: readonly string[]) =>
    readSpent(ledger, { accountId, keyIds: [...keyIds], period, nowMs: Date.now() }, options),
): Promise<CapUsage[]> {
  const nowMs = Date.now();
  const keyIds = keys.map(({ keyId }) => keyId);
  const { caps } = await unaryCall(ledger.getCapUsage.bind(ledger), { accountId, nodeIds: keyIds }, options);
  const counted = await Promise.all(
    CAP_PERIODS.map(async (period) => {
      const ids = withUnusedCap(keys, period, caps);
      if (ids.length === 0) return [];
      const spent = await spentIn(period, ids);
      return ids.map((keyId) => usageOf(keyId, period, spent.get(keyId) ?? 0n, nowMs));
    }),
  );
  return [...caps, ...counted.flat()];
}

/** Keys with a cap that no request has used in its current period. */
function withUnusedCap(keys: readonly KeyWithCaps[], period: CapPeriodLabel, used: readonly CapUsage[]): string[] {
  const known = new Set(
    used.filter((usage) => usage.period === CAP_PERIOD_OF_LABEL[period]).map(({ nodeId }) => nodeId),
  );
  return keys
    .filter(({ keyId, caps }) => capLimit(caps, period) !== undefined && !known.has(keyId))
    .map(({ keyId }) => keyId);
}

function usageOf(keyId: string, period: CapPeriodLabel, spentNanos: bigint, nowMs: number): CapUsage {
  const startMs = periodStart(period, nowMs);
  return {
    nodeId: keyId,
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
  period: CapPeriodLabel;
  nowMs: number;
}

/** What keys have spent in the current period, by key id. */
export async function readSpent(
  ledger: LedgerServiceClient,
  { accountId, keyIds, period, nowMs }: SpentQuery,
  options: UnaryCallOptions,
): Promise<SpentByKey> {
  const request = {
    accountId,
    startMs: BigInt(periodStart(period, nowMs)),
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
