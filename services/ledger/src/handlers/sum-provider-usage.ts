import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { BEFORE_ALL } from '@tollgate/common/ids';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ProviderUsage, SumProviderUsageRequest, SumProviderUsageResponse } from '@tollgate/proto/ledger';
import { listAccounts } from '../store/balances.ts';
import { sumProviderUsage } from '../store/provider-usage.ts';
import { DAY_MS } from '../store/time.ts';

const MAX_PROVIDER_CHARACTERS = 200;
/** How long accounts are read for one response, and how many at a time. */
const READ_MS = 2_000;
const BATCH_SIZE = 20;

/** Sums what was metered of a provider on a day, for as many accounts as can be read in a short time. */
export function createSumProviderUsageHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<SumProviderUsageRequest, SumProviderUsageResponse> {
  return async (request) => {
    const { provider } = request;
    if (provider === '' || provider.length > MAX_PROVIDER_CHARACTERS)
      throw new RpcError('invalid_argument', `provider: must have 1 to ${MAX_PROVIDER_CHARACTERS} characters`);
    const dayMs = Number(request.dayMs);
    if (dayMs < 0 || dayMs % DAY_MS !== 0) throw new RpcError('invalid_argument', 'day_ms: must be the start of a day');
    const endMs = performance.now() + READ_MS;
    const sums = new Map<string, ProviderUsage>();
    let after: string | undefined = optionalUuidArgument('cursor', request.cursor) ?? BEFORE_ALL;
    do {
      const accountIds: string[] = await listAccounts(pool, after, BATCH_SIZE);
      for (const usage of await sumProviderUsage(pool, { accountIds, provider, dayMs })) add(sums, usage);
      after = accountIds.length < BATCH_SIZE ? undefined : accountIds.at(-1);
    } while (after !== undefined && performance.now() < endMs);
    return { usage: [...sums.values()], nextCursor: after ?? '' };
  };
}

function add(sums: Map<string, ProviderUsage>, usage: ProviderUsage): void {
  const key = `${usage.deployment} ${usage.model}`;
  const sum = sums.get(key);
  if (sum === undefined) {
    sums.set(key, usage);
    return;
  }
  sum.requests += usage.requests;
  sum.inputTokens += usage.inputTokens;
  sum.cacheReadTokens += usage.cacheReadTokens;
  sum.outputTokens += usage.outputTokens;
  sum.costNanos += usage.costNanos;
}
