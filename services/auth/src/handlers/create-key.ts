import type { Actor } from '@tollgate/common/actors/token';
import { MAX_TOKEN_KEYS } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { newKey } from '@tollgate/common/keys/index';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { CreateKeyRequest, CreateKeyResponse } from '@tollgate/proto/auth';
import { keyAttributes } from '../audit/attributes.ts';
import { setAttributes } from '../audit/differences.ts';
import { placeNewKey } from '../nodes/place-key.ts';
import { requireKeyWithinDefaults } from '../nodes/require-within-defaults.ts';
import { requireCurrentRole } from '../people/current-role.ts';
import { requireNoDeveloper } from '../rules/actor-rules.ts';
import { type AccountRow, lockAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';
import { countActiveKeysOfCreator } from '../store/key-lists.ts';
import { insertKey, newAttributes, toApiKey } from '../store/keys.ts';

/** Creates a key. Its text is only in the response. */
export function createCreateKeyHandler({
  pool,
  config,
}: {
  pool: Pool;
  config: { SERVICE_NAME: string };
}): UnaryHandler<CreateKeyRequest, CreateKeyResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = uuidArgument('account_id', request.accountId);
    const projectId = optionalUuidArgument('project_id', request.projectId);
    const serviceAccountId = optionalUuidArgument('service_account_id', request.serviceAccountId);
    requireNoDeveloper(actor, 'service_account_id', serviceAccountId);
    requireNoDeveloper(actor, 'exceeds_defaults', request.exceedsDefaults || undefined);
    const attributes = newAttributes(request);
    const made = await inTransaction(pool, async (client) => {
      const account = await accountFor(client, actor, accountId);
      const { text, sha256, displayPrefix, lastFour } = newKey(config.SERVICE_NAME, account.tag);
      const value = { sha256, displayPrefix, lastFour };
      const placement = await placeNewKey(client, accountId, actor, { projectId, serviceAccountId });
      await requireKeyWithinDefaults(client, { account_id: accountId, ...placement }, attributes, attributes);
      const key = { keyId: newId(), accountId, createdBy: actor, ...value, ...attributes, ...placement };
      const row = await insertKey(client, key);
      const target = { targetId: row.key_id, targetName: row.name, details: setAttributes(keyAttributes(row)) };
      await insertAudit(client, { accountId, actor, action: 'key.create', ...target });
      return { row, text };
    });
    return { key: toApiKey(made.row, Date.now()), secret: made.text };
  };
}

/**
 * The account of a new key, locked: a member who is being removed creates no key that the remover would not see, and the
 * keys of a developer are counted with those of concurrent calls.
 */
async function accountFor(client: PoolClient, actor: Actor, accountId: string): Promise<AccountRow> {
  const account = await lockAccount(client, accountId);
  if (account === undefined) throw new RpcError('not_found', 'no such account');
  await requireCurrentRole(client, actor, accountId);
  if (actor.role !== 'developer') return account;
  if ((await countActiveKeysOfCreator(client, accountId, actor.id, MAX_TOKEN_KEYS)) >= MAX_TOKEN_KEYS) {
    throw new RpcError('resource_exhausted', `a developer can have at most ${MAX_TOKEN_KEYS} active keys`);
  }
  return account;
}
