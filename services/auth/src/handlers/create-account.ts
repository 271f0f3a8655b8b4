import { RpcError } from '@tollgate/common/errors';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { newAccountTag } from '@tollgate/common/keys/index';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { CreateAccountRequest, CreateAccountResponse } from '@tollgate/proto/auth';
import { findAccountByIdempotencyKey, insertAccount, toAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';
import { ensureDefaultProject } from '../store/nodes.ts';

/** Maximum attempts. With a million accounts, one tag in 57,000 is in use. */
const TAG_ATTEMPTS = 5;

/** Creates an account, or returns the one that an earlier call with the same idempotency key has created. */
export function createCreateAccountHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<CreateAccountRequest, CreateAccountResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const { name, idempotencyKey } = request;
    for (let attempt = 0; attempt < TAG_ATTEMPTS; attempt++) {
      if (idempotencyKey !== '') {
        const earlier = await findAccountByIdempotencyKey(pool, idempotencyKey);
        if (earlier !== undefined) return { account: toAccount(earlier) };
      }
      const accountId = newId();
      const created = await inTransaction(pool, async (client) => {
        const inserted = await insertAccount(client, { accountId, name, tag: newAccountTag(), idempotencyKey });
        if (inserted === undefined) return undefined;
        await ensureDefaultProject(client, accountId);
        const target = { targetId: accountId, targetName: name, details: {} };
        await insertAudit(client, { accountId, actor, action: 'account.create', ...target });
        return inserted;
      });
      if (created !== undefined) return { account: toAccount(created) };
    }
    throw new RpcError('unavailable', 'no free account tag was found; try again');
  };
}
