import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { UpdateKeyRequest, UpdateKeyResponse } from '@tollgate/proto/auth';
import { keyAttributes } from '../audit/attributes.ts';
import { changedAttributes } from '../audit/differences.ts';
import { changeKey } from '../changes/change-key.ts';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { requireWithin } from '../derived/require-within.ts';
import { placeKeyAgain, type WantedPlace } from '../nodes/place-key.ts';
import { requireKeyWithinDefaults } from '../nodes/require-within-defaults.ts';
import { refuseDeveloper, requireNoDeveloper } from '../rules/actor-rules.ts';
import { findKeysAbove, lockKeysBelow } from '../store/derived-keys.ts';
import { grantsAfter } from '../store/grants.ts';
import type { KeyPlacement } from '../store/key-place.ts';
import { attributesIn, type KeyAttributes, type KeyRow, toApiKey, writeKey, writePlacement } from '../store/keys.ts';

/** Changes the given attributes of a key. The change applies to requests that start after this has returned. */
export function createUpdateKeyHandler(deps: ChangeDependencies): UnaryHandler<UpdateKeyRequest, UpdateKeyResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const keyId = uuidArgument('key_id', request.keyId);
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const place = givenPlace(request, actor);
    const isMoved = place.projectId !== undefined || place.serviceAccountId !== undefined;
    const attributes = givenAttributes(request, actor);
    const changed = [...(isMoved ? ['place'] : []), ...Object.keys(attributes)];
    if (changed.length === 0) throw new RpcError('invalid_argument', 'no field to change is set');
    const log = { message: 'key changed', fields: { changed } };
    const key = await changeKey(
      deps,
      { keyId, accountId, actor, action: 'key.update', done: 'the key is changed', log },
      async (client, current) => {
        requireWithin(await findKeysAbove(client, current), attributes);
        const placed = isMoved ? { ...current, ...(await move(client, current, actor, place)) } : current;
        await requireKeyWithinDefaults(client, placed, attributes, { ...current, ...attributes });
        const written = await writeKey(client, { ...current, ...attributes, ...grantsAfter(current, attributes) });
        const details = changedAttributes(keyAttributes(current), keyAttributes(written));
        return { key: written, endedValues: [], details };
      },
      context.signal,
    );
    return { key: toApiKey(key, Date.now()) };
  };
}

/** Moves a key with all keys below it. They are locked first, as a deletion of one of them does before it locks the account. */
async function move(client: PoolClient, key: KeyRow, actor: Actor, place: WantedPlace): Promise<KeyPlacement> {
  if (key.parent_key_id !== null)
    throw new RpcError('failed_precondition', 'a derived key is where its parent is: move the key at the root');
  const below = await lockKeysBelow(client, key);
  const placement = await placeKeyAgain(client, key, actor, place);
  await writePlacement(client, [key.key_id, ...below], placement);
  return placement;
}

/** Where a request moves the key. */
function givenPlace(request: UpdateKeyRequest, actor: Actor): WantedPlace {
  requireNoDeveloper(actor, 'project_id', request.projectId);
  requireNoDeveloper(actor, 'service_account_id', request.serviceAccountId);
  const { projectId, serviceAccountId } = request;
  return {
    projectId: projectId === undefined ? undefined : uuidArgument('project_id', projectId),
    serviceAccountId: serviceAccountId?.toLowerCase(),
  };
}

/** The attributes that a request sets. */
function givenAttributes(request: UpdateKeyRequest, actor: Actor): Partial<KeyAttributes> {
  refuseDeveloper(actor, 'caps', request.caps);
  refuseDeveloper(actor, 'limits', request.limits);
  refuseDeveloper(actor, 'each_session', request.eachSessionNanos);
  requireNoDeveloper(actor, 'exceeds_defaults', request.exceedsDefaults);
  return attributesIn(request);
}
