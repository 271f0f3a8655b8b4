import { RpcError } from '@tollgate/common/errors';
import { rangeArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetUsageResponse, SumUsageRequest } from '@tollgate/proto/ledger';
import { DAY_MS, type TimeRange } from '../store/time.ts';
import { sumUsageOfAccounts, type UsageSumRow } from '../store/usage.ts';
import { usageRow } from './get-usage.ts';

const MAX_DAYS = 31;
/** How long accounts are summed. */
const SUM_MS = 5_000;
/** Accounts summed by one statement: few enough that a month of theirs is read quickly. */
const BATCH_SIZE = 100;

/** Sums the usage of all accounts by model. */
export function createSumUsageHandler({ pool }: { pool: Pool }): UnaryHandler<SumUsageRequest, GetUsageResponse> {
  return async ({ startMs, endMs }) => {
    const range = rangeArgument(startMs, endMs);
    if (range.endMs - range.startMs > MAX_DAYS * DAY_MS)
      throw new RpcError('invalid_argument', `end_ms: at most ${MAX_DAYS} days after start_ms`);
    return { rows: (await sumAll(pool, range)).map(usageRow) };
  };
}

async function sumAll(pool: Pool, range: TimeRange): Promise<UsageSumRow[]> {
  const endMs = performance.now() + SUM_MS;
  const sums = new Map<string, UsageSumRow>();
  let after: string | undefined;
  do {
    const { rows, last } = await sumUsageOfAccounts(pool, range, { after, limit: BATCH_SIZE });
    for (const row of rows) sums.set(row.model, add(sums.get(row.model), row));
    if (last === undefined) return [...sums.values()];
    after = last;
  } while (performance.now() < endMs);
  throw new RpcError('deadline_exceeded', 'there are too many accounts to sum');
}

function add(sum: UsageSumRow | undefined, row: UsageSumRow): UsageSumRow {
  if (sum === undefined) return row;
  return {
    ...sum,
    requests: sum.requests + row.requests,
    charged_nanos: sum.charged_nanos + row.charged_nanos,
    quantities: sum.quantities.map((quantity, index) => quantity + (row.quantities[index] ?? 0n)),
  };
}
