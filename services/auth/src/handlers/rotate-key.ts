import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { newKey } from '@tollgate/common/keys/index';
import type { RotateKeyRequest, RotateKeyResponse } from '@tollgate/proto/auth';
import { derivedDetails, timeText } from '../audit/attributes.ts';
import { setAttributes } from '../audit/differences.ts';
import { changeKey } from '../changes/change-key.ts';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { requireCurrentRole } from '../people/current-role.ts';
import { findAccount } from '../store/accounts.ts';
import { deleteKeysBelow } from '../store/derived-keys.ts';
import { type KeyRow, type Rotation, toApiKey, valuesOf, writeRotation } from '../store/keys.ts';

/**
 * Gives a key a new value, and waits until every ingress knows how long the previous one stays valid and that older ones
 * are dead.
 */
export function createRotateKeyHandler(
  deps: ChangeDependencies & { config: { SERVICE_NAME: string } },
): UnaryHandler<RotateKeyRequest, RotateKeyResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const keyId = uuidArgument('key_id', request.keyId);
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const overlapMs = Number(request.overlapMs);
    const rotationKey = request.idempotencyKey;
    const log = { message: 'key rotated', fields: { overlap_ms: overlapMs } };
    let secret = '';
    const key = await changeKey(
      deps,
      { keyId, accountId, actor, action: 'key.rotate', done: 'the key is rotated', log },
      async (client, current) => {
        await requireCurrentRole(client, actor, current.account_id);
        const account = await findAccount(client, current.account_id);
        if (account === undefined) throw new Error('a key has no account');
        const value = newKey(deps.config.SERVICE_NAME, account.tag);
        secret = value.text;
        const previous = previousValue(current, { overlapMs, rotationKey }, Date.now());
        const below = request.withDerived ? await deleteKeysBelow(client, current) : 0;
        const written = await writeRotation(client, { keyId, value, previous, rotationKey });
        const kept = valuesOf(written);
        const endedValues = valuesOf(current).filter((sha256) => !kept.some((other) => other.equals(sha256)));
        const details = {
          last_four: `${current.last_four} → ${written.last_four}`,
          ...derivedDetails(below),
          ...setAttributes({ previous_value_until: timeText(written.previous_until) }),
        };
        return { key: written, endedValues, details };
      },
      context.signal,
    );
    return { key: toApiKey(key, Date.now()), secret };
  };
}

/** The value that stays valid beside the new one: the replaced one, or for a repeated rotation the one before it. */
function previousValue(
  key: KeyRow,
  { overlapMs, rotationKey }: { overlapMs: number; rotationKey: string },
  nowMs: number,
): Rotation['previous'] {
  if (rotationKey === key.rotation_key) {
    const { previous_sha256: sha256, previous_until: until } = key;
    return sha256 === null || until === null ? undefined : { sha256, until };
  }
  return overlapMs === 0 ? undefined : { sha256: key.key_sha256, until: new Date(nowMs + overlapMs) };
}
