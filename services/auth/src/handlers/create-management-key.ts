import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { newManagementKey } from '@tollgate/common/keys/index';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { CreateManagementKeyRequest, CreateManagementKeyResponse } from '@tollgate/proto/auth';
import { timeText } from '../audit/attributes.ts';
import { requireCurrentRole } from '../people/current-role.ts';
import { lockAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';
import { countActiveManagementKeys, insertManagementKey, toManagementKey } from '../store/management-keys.ts';
import { lockOperators } from '../store/people.ts';
import { expiryArgument, roleArgument } from './people-arguments.ts';

const MAX_DAYS = 366;
/** Maximum active keys of an account, or of operators. */
const MAX_ACTIVE = 100;

/**
 * Creates a management key. Its text is only in the response. Its role is never above the caller's: owners create keys of
 * their account only, and keys of operators are created by operators.
 */
export function createCreateManagementKeyHandler({
  pool,
  config,
}: {
  pool: Pool;
  config: { SERVICE_NAME: string };
}): UnaryHandler<CreateManagementKeyRequest, CreateManagementKeyResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const { name } = request;
    const role = roleArgument('role', request.role, accountId);
    const expiresAt = expiryArgument('expires_at_ms', request.expiresAtMs, { maxDays: MAX_DAYS, nowMs: Date.now() });
    const value = newManagementKey(config.SERVICE_NAME);
    const key = await inTransaction(pool, async (client) => {
      if (accountId === undefined) await lockOperators(client);
      else if ((await lockAccount(client, accountId)) === undefined) throw new RpcError('not_found', 'no such account');
      await requireCurrentRole(client, actor, accountId);
      if ((await countActiveManagementKeys(client, accountId)) >= MAX_ACTIVE) {
        throw new RpcError('resource_exhausted', `at most ${MAX_ACTIVE} active management keys are possible`);
      }
      const managementKeyId = newId();
      const fields = { managementKeyId, accountId, name, role, value, createdBy: actor, expiresAt };
      const inserted = await insertManagementKey(client, fields);
      const details = { role, expires_at: timeText(expiresAt) };
      const target = { targetId: managementKeyId, targetName: name, details };
      await insertAudit(client, { accountId, actor, action: 'management_key.create', ...target });
      return inserted;
    });
    return { key: toManagementKey(key, Date.now()), secret: value.text };
  };
}
