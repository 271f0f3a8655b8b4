import { requestCheck } from '@tollgate/common/descriptors/check';
import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { newKey } from '@tollgate/common/keys/index';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { CreateDerivedKeyRequest, CreateDerivedKeyResponse, DerivedKey } from '@tollgate/proto/auth';
import { keyAttributes } from '../audit/attributes.ts';
import { setAttributes } from '../audit/differences.ts';
import { requireWithin } from '../derived/require-within.ts';
import { insertAudit } from '../store/audit.ts';
import { millisecondsOf, rateLimits, spendingCaps } from '../store/columns.ts';
import { countDerivedKey, lockPath, type ParentRow, recountDerivedKeys } from '../store/derived-keys.ts';
import { insertKey, type KeyAttributes, type KeyRow, newAttributes } from '../store/keys.ts';

/** Maximum keys above a key. */
const MAX_DEPTH = 3;
/** Maximum derived keys of an account that are alive. */
export const MAX_DERIVED_KEYS = 10_000;

/** Creates a key below another one, which is the actor. Its text is only in the response. */
export function createCreateDerivedKeyHandler({
  pool,
  config,
}: {
  pool: Pool;
  config: { SERVICE_NAME: string };
}): UnaryHandler<CreateDerivedKeyRequest, CreateDerivedKeyResponse> {
  let check: ReturnType<typeof requestCheck> | undefined;
  return async (request) => {
    check ??= requestCheck('tollgate.auth.v1.AuthService/CreateDerivedKey');
    check(request, Date.now());
    const accountId = uuidArgument('account_id', request.accountId);
    const parentId = uuidArgument('parent_key_id', request.parentKeyId);
    const attributes = attributesOf(request, Date.now());
    return inTransaction(pool, async (client) => {
      const path = await lockPath(client, accountId, parentId);
      const parent = requireAlive(path);
      if (path.length > MAX_DEPTH)
        throw new RpcError('failed_precondition', `a key can have at most ${MAX_DEPTH} keys above it`);
      requireWithin(path, attributes);
      const { text, sha256, displayPrefix, lastFour } = newKey(config.SERVICE_NAME, parent.tag);
      const row = await insertKey(client, {
        ...{ keyId: newId(), accountId, sha256, displayPrefix, lastFour, ...attributes },
        ...{ project_id: parent.project_id, owner_id: parent.owner_id },
        createdBy: { id: '', name: parent.name },
        aboveKeyIds: path.map((key) => key.key_id),
      });
      await insertAudit(client, {
        accountId,
        actor: { id: parent.key_id, name: parent.name, role: '', via: 'key' },
        action: 'key.derive',
        ...{ targetId: row.key_id, targetName: row.name, details: setAttributes(keyAttributes(row)) },
      });
      // Last, as other creations of the account wait for it.
      await requireRoom(client, accountId);
      return { key: toDerivedKey(row, parent), secret: text };
    });
  };
}

function attributesOf(request: CreateDerivedKeyRequest, nowMs: number): KeyAttributes {
  const { expiresInMs } = request;
  if (expiresInMs !== 0n && request.expiresAtMs !== 0n)
    throw new RpcError('invalid_argument', 'expires_in: expires_at is given too');
  const expiresAtMs = expiresInMs === 0n ? request.expiresAtMs : BigInt(nowMs) + expiresInMs;
  return newAttributes({ ...request, expiresAtMs, projectId: '', serviceAccountId: '' });
}

/** The last key of a path, all of which is alive. */
function requireAlive(path: readonly ParentRow[]): ParentRow {
  const parent = path.at(-1);
  const nowMs = Date.now();
  const hasEnded = ({ deleted_at, expires_at }: KeyRow) =>
    deleted_at !== null || (expires_at !== null && expires_at.getTime() <= nowMs);
  if (parent === undefined || parent.suspended || parent.off || path.some(hasEnded))
    throw new RpcError('not_found', 'no such key, or it is not active');
  return parent;
}

async function requireRoom(client: PoolClient, accountId: string): Promise<void> {
  if (await countDerivedKey(client, accountId, MAX_DERIVED_KEYS)) return;
  if ((await recountDerivedKeys(client, accountId)) <= MAX_DERIVED_KEYS) return;
  throw new RpcError('resource_exhausted', `an account can have at most ${MAX_DERIVED_KEYS} derived keys`);
}

function toDerivedKey(row: KeyRow, parent: KeyRow): DerivedKey {
  return {
    keyId: row.key_id,
    parentKeyId: parent.key_id,
    name: row.name,
    createdAtMs: millisecondsOf(row.created_at),
    expiresAtMs: millisecondsOf(row.expires_at),
    allowedModels: row.allowed_models,
    caps: spendingCaps(row),
    limits: rateLimits(row),
    tags: row.tags,
  };
}
