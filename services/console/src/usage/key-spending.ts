import { periodStart } from '@tollgate/common/cap-periods';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { ApiKey } from '@tollgate/proto/auth';
import { type LedgerServiceClient, UsageInterval } from '@tollgate/proto/ledger';
import type { KeySpending } from '../render/key.ts';

/** What keys of one account have spent of their caps, and in this month. */
export async function readKeySpending(
  ledger: LedgerServiceClient,
  accountId: string,
  keys: readonly ApiKey[],
  options: UnaryCallOptions,
): Promise<KeySpending> {
  const keyIds = keys.map(({ keyId }) => keyId);
  if (keyIds.length === 0) return { capUsage: [], monthNanos: new Map() };
  const now = Date.now();
  const month = {
    accountId,
    startMs: BigInt(periodStart('month', now)),
    endMs: BigInt(now + 1),
    interval: UsageInterval.MONTH,
    groupByModel: false,
    groupByKey: true,
    keyIds,
    totals: true,
  };
  const [{ caps }, { rows }] = await Promise.all([
    unaryCall(ledger.getCapUsage.bind(ledger), { accountId, keyIds }, options),
    unaryCall(ledger.getUsage.bind(ledger), month, options),
  ]);
  return { capUsage: caps, monthNanos: new Map(rows.map((row) => [row.keyId, row.costNanos])) };
}
