import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { FindRequestRequest, FindRequestResponse } from '@tollgate/proto/ledger';
import { type FoundRequest, findChargeInAccounts, findRefusalInAll } from '../store/find-request.ts';
import { lookupArgument } from './arguments.ts';

type Name = ReturnType<typeof lookupArgument>;

/** How long accounts are searched. */
const SEARCH_MS = 2_000;
/** Accounts searched by one statement. */
const BATCH_SIZE = 10_000;

/** Finds the account of a request among all. */
export function createFindRequestHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<FindRequestRequest, FindRequestResponse> {
  return async ({ by }) => {
    const name = lookupArgument(by);
    const found = (await findRefusalInAll(pool, name)) ?? (await findCharge(pool, name));
    if (found === undefined) throw new RpcError('not_found', 'no such request');
    return found;
  };
}

/** Looks into one account after the other: charges have no index that does not begin with their account. */
async function findCharge(pool: Pool, name: Name): Promise<FoundRequest | undefined> {
  const endMs = performance.now() + SEARCH_MS;
  let after: string | undefined;
  do {
    const { found, last } = await findChargeInAccounts(pool, name, { after, limit: BATCH_SIZE });
    if (found !== undefined || last === undefined) return found;
    after = last;
  } while (performance.now() < endMs);
  throw new RpcError('deadline_exceeded', 'not all accounts could be searched');
}
