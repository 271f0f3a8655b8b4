import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { newKey } from '@tollgate/common/keys/index';
import { inTransaction } from '@tollgate/common/postgres/pool';
import type { RotateKeyRequest, RotateKeyResponse } from '@tollgate/proto/auth';
import { lockLiveKey } from '../changes/lock-live-key.ts';
import { type ChangeDependencies, waitForKeyChange } from '../changes/wait-for-propagation.ts';
import type { Dependencies } from '../dependencies.ts';
import { findAccount } from '../store/accounts.ts';
import { type KeyRow, type Rotation, toApiKey, valuesOf, writeRotation } from '../store/keys.ts';
import { insertRevocation } from '../store/revocations.ts';
import { optionalTextArgument } from './arguments.ts';

const MAX_OVERLAP_MS = 30 * 86_400_000;

/**
 * Gives a key another value, and waits until every ingress knows how long the one before it is good, and that those
 * before that are dead.
 */
export function createRotateKeyHandler(
  deps: ChangeDependencies & Pick<Dependencies, 'config'>,
): UnaryHandler<RotateKeyRequest, RotateKeyResponse> {
  return async (request, { signal }) => {
    const keyId = uuidArgument('key_id', request.keyId);
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const overlapMs = overlapArgument(request.overlapMs);
    const rotationKey = optionalTextArgument('idempotency_key', request.idempotencyKey, 200);
    const { key, dead, text, sequence } = await inTransaction(deps.pool, async (client) => {
      const known = await lockLiveKey(client, keyId, accountId);
      const account = await findAccount(client, known.account_id);
      if (account === undefined) throw new Error('a key has no account');
      const value = newKey(deps.config.SERVICE_NAME, account.tag);
      const previous = previousOf(known, { overlapMs, rotationKey }, Date.now());
      const written = await writeRotation(client, { keyId, value, previous, rotationKey });
      const kept = valuesOf(written);
      const killed = valuesOf(known).filter((sha256) => !kept.some((other) => other.equals(sha256)));
      for (const sha256 of killed) await insertRevocation(client, { kind: 'value', keyId, sha256 });
      const { revision } = written;
      const last = await insertRevocation(client, { kind: 'key', keyId, revision });
      return { key: written, dead: killed, text: value.text, sequence: last };
    });
    deps.logger.info({ key_id: keyId, account_id: key.account_id, overlap_ms: overlapMs }, 'key rotated');
    const change = {
      accountId: key.account_id,
      sequence,
      values: [...dead, ...valuesOf(key)],
      done: 'the key is rotated',
    };
    await waitForKeyChange(deps, change, signal);
    return { key: toApiKey(key), secret: text };
  };
}

/** The value that stays good beside the new one: the one it replaces, or where a rotation is made again the one before. */
function previousOf(
  key: KeyRow,
  { overlapMs, rotationKey }: { overlapMs: number; rotationKey: string },
  nowMs: number,
): Rotation['previous'] {
  if (rotationKey !== '' && rotationKey === key.rotation_key) {
    const { previous_sha256: sha256, previous_until: until } = key;
    return sha256 === null || until === null ? undefined : { sha256, until };
  }
  return overlapMs === 0 ? undefined : { sha256: key.key_sha256, until: new Date(nowMs + overlapMs) };
}

function overlapArgument(valueMs: bigint): number {
  if (valueMs < 0n || valueMs > MAX_OVERLAP_MS) {
    throw new RpcError('invalid_argument', `overlap_ms: must be 0 to ${MAX_OVERLAP_MS}, which is 30 days`);
  }
  return Number(valueMs);
}
