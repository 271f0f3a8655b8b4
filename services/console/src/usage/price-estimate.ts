import { failedWith } from '@tollgate/common/errors';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { parseDollars } from '@tollgate/common/money';
import type { ModelEstimate, MonthEstimate } from '@tollgate/proto/console/operators';
import type { LedgerServiceClient, UsageRow } from '@tollgate/proto/ledger';
import type { CatalogueChange } from '@tollgate/proto/router';

const MILLION = 1_000_000n;
/** A rate of the price in force. Rates of tiers, options and later prices have longer names. */
const BASE_RATE = /^price\.([a-z0-9_]+)$/;

/** What the last whole UTC month cost, and would have cost with other base prices. Undefined: it cannot be summed in time. */
export async function estimateLastMonth(
  ledger: LedgerServiceClient,
  changes: readonly CatalogueChange[],
  { nowMs, options }: { nowMs: number; options: UnaryCallOptions },
): Promise<MonthEstimate | undefined> {
  const now = new Date(nowMs);
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1);
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const hasRates = changes.some(({ field }) => BASE_RATE.test(field));
  const rows = hasRates ? await sumUsage(ledger, { startMs: BigInt(startMs), endMs: BigInt(endMs) }, options) : [];
  if (rows === undefined) return undefined;
  const models = estimateModels(changes, rows);
  const sum = (part: 'costNanos' | 'withFileNanos') => models.reduce((total, model) => total + model[part], 0n);
  return {
    startMs: BigInt(startMs),
    costNanos: sum('costNanos'),
    withFileNanos: sum('withFileNanos'),
    models,
  };
}

/** Estimates of the models whose base rates change and that were used. */
export function estimateModels(
  changes: readonly CatalogueChange[],
  rows: readonly Pick<UsageRow, 'model' | 'costNanos' | 'usage'>[],
): ModelEstimate[] {
  return rows.flatMap(({ model, costNanos, usage }) => {
    const quantities = new Map(usage.map(({ bucket, quantity }) => [bucket, quantity]));
    const differences = changes
      .filter((change) => change.modelId === model)
      .flatMap(({ field, before, after }) => {
        const bucket = BASE_RATE.exec(field)?.[1];
        if (bucket === undefined) return [];
        return [((quantities.get(bucket) ?? 0n) * (rateOf(after) - rateOf(before))) / MILLION];
      });
    if (differences.length === 0) return [];
    const withFile = differences.reduce((total, difference) => total + difference, costNanos);
    return [{ model, costNanos, withFileNanos: withFile > 0n ? withFile : 0n }];
  });
}

/** Nano-dollars per million; a rate that is not there costs nothing. */
function rateOf(text: string): bigint {
  return text === '' ? 0n : (parseDollars(text) ?? 0n);
}

async function sumUsage(
  ledger: LedgerServiceClient,
  range: { startMs: bigint; endMs: bigint },
  options: UnaryCallOptions,
): Promise<UsageRow[] | undefined> {
  try {
    return (await unaryCall(ledger.sumUsage.bind(ledger), range, options)).rows;
  } catch (error) {
    if (failedWith(error, 'deadline_exceeded')) return undefined;
    throw error;
  }
}
