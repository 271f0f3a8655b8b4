import { periodStart } from '@tollgate/common/cap-periods';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { ApiKey } from '@tollgate/proto/auth';
import type { KeyWithUsage } from '@tollgate/proto/console/keys';
import { type CapUsage, GetUsageRequest, type LedgerServiceClient, UsageInterval } from '@tollgate/proto/ledger';
import { capUsagesOf, readCapUsage } from './cap-usages.ts';

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
    capUsage: capUsagesOf({ nodeId: key.keyId, appliedCaps: key.appliedCaps }, capUsage, nowMs),
    spentThisMonthNanos: monthNanos.get(key.keyId) ?? 0n,
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
    readCapUsage(
      ledger,
      accountId,
      keys.map(({ keyId: nodeId, appliedCaps }) => ({ nodeId, appliedCaps })),
      options,
    ),
    readMonth(ledger, accountId, keys, options),
  ]);
  return { capUsage, monthNanos };
}

async function readMonth(
  ledger: LedgerServiceClient,
  accountId: string,
  keys: readonly ApiKey[],
  options: UnaryCallOptions,
): Promise<ReadonlyMap<string, bigint>> {
  if (keys.length === 0) return new Map();
  const nowMs = Date.now();
  const request = GetUsageRequest.fromPartial({
    accountId,
    startMs: BigInt(periodStart('month', nowMs)),
    endMs: BigInt(nowMs + 1),
    interval: UsageInterval.DAY,
    groupByKey: true,
    keyIds: keys.map(({ keyId }) => keyId),
    totals: true,
  });
  const { rows } = await unaryCall(ledger.getUsage.bind(ledger), request, options);
  return new Map(rows.map((row) => [row.keyId, row.costNanos]));
}
