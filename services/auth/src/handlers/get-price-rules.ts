import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetAccountRequest, PriceRules } from '@tollgate/proto/auth';
import { findAccount } from '../store/accounts.ts';

/** Returns the prices of an account of its own, by which the console computes what it shows to anybody of the account. */
export function createGetPriceRulesHandler({ pool }: { pool: Pool }): UnaryHandler<GetAccountRequest, PriceRules> {
  return async (request) => {
    const row = await findAccount(pool, uuidArgument('account_id', request.accountId));
    if (row === undefined) throw new RpcError('not_found', 'no such account');
    return { rules: row.price_rules };
  };
}
