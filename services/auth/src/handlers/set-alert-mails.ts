import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { SetAlertMailsRequest, SetAlertMailsResponse } from '@tollgate/proto/auth';
import { accountAttributes } from '../audit/attributes.ts';
import { changedAttributes } from '../audit/differences.ts';
import { lockAccount, writeAlertMails } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';

/** Turns e-mails about an account's money on or off. */
export function createSetAlertMailsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<SetAlertMailsRequest, SetAlertMailsResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = uuidArgument('account_id', request.accountId);
    await inTransaction(pool, async (client) => {
      const known = await lockAccount(client, accountId);
      if (known === undefined) throw new RpcError('not_found', 'no such account');
      if (known.alert_mails === request.enabled) return;
      await writeAlertMails(client, accountId, request.enabled);
      const changed = { ...known, alert_mails: request.enabled };
      const details = changedAttributes(accountAttributes(known), accountAttributes(changed));
      const target = { targetId: accountId, targetName: known.name };
      await insertAudit(client, { accountId, actor, action: 'account.update', ...target, details });
    });
    return { enabled: request.enabled };
  };
}
