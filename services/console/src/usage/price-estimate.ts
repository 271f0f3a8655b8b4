import { failedWith } from '@tollgate/common/errors';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { formatDollars, parseDollars } from '@tollgate/common/money';
import type { LedgerServiceClient, UsageRow } from '@tollgate/proto/ledger';
import type { CatalogueChange } from '@tollgate/proto/router';

const MILLION = 1_000_000n;
/** A rate of the price in force. Rates of tiers, options and later prices have longer names. */
const BASE_RATE = /^price\.([a-z0-9_]+)$/;

/** What the last whole UTC month cost, and would have cost with other base prices. Null: it cannot be summed in time. */
export async function estimateLastMonth(
  ledger: LedgerServiceClient,
  changes: readonly CatalogueChange[],
  { nowMs, options }: { nowMs: number; options: UnaryCallOptions },
) {
  const now = new Date(nowMs);
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1);
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const hasRates = changes.some(({ field }) => BASE_RATE.test(field));
  const rows = hasRates ? await sumUsage(ledger, { startMs: BigInt(startMs), endMs: BigInt(endMs) }, options) : [];
  if (rows === null) return null;
  const models = estimateModels(changes, rows);
  const sum = (part: 'cost' | 'withFile') => models.reduce((total, model) => total + model[part], 0n);
  return {
    start: new Date(startMs).toISOString(),
    cost: formatDollars(sum('cost')),
    with_file: formatDollars(sum('withFile')),
    models: models.map(({ model, cost, withFile }) => ({
      model,
      cost: formatDollars(cost),
      with_file: formatDollars(withFile),
    })),
  };
}

interface Estimate {
  model: string;
  /** What was charged. */
  cost: bigint;
  /** The same with the difference of the changed rates. */
  withFile: bigint;
}

/** Estimates of the models whose base rates change and that were used. */
export function estimateModels(
  changes: readonly CatalogueChange[],
  rows: readonly Pick<UsageRow, 'model' | 'costNanos' | 'usage'>[],
): Estimate[] {
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
    return [{ model, cost: costNanos, withFile: withFile > 0n ? withFile : 0n }];
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
): Promise<UsageRow[] | null> {
  try {
    return (await unaryCall(ledger.sumUsage.bind(ledger), range, options)).rows;
  } catch (error) {
    if (failedWith(error, 'deadline_exceeded')) return null;
    throw error;
  }
}
