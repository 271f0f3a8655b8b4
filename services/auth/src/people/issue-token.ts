import type { KeyObject } from 'node:crypto';
import { roleOf } from '@tollgate/common/actors/roles';
import { ACTOR_TOKEN_MS, type Actor, MAX_TOKEN_KEYS, signActorToken } from '@tollgate/common/actors/token';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ActorToken } from '@tollgate/proto/auth';
import { listKeyIdsOfCreator } from '../store/key-lists.ts';

/** What issuing tokens needs. */
export interface TokenDependencies {
  pool: Pool;
  signingKey: KeyObject;
}

/** Issues a token for an actor; a developer's names the keys they made, in the projects they may use. */
export async function issueToken(
  { pool, signingKey }: TokenDependencies,
  actor: Omit<Actor, 'keyIds'>,
): Promise<ActorToken> {
  const { id, role, accountId, projectIds } = actor;
  const isDeveloper = role === 'developer' && accountId !== undefined;
  const keyIds = isDeveloper
    ? await listKeyIdsOfCreator(pool, { accountId, createdById: id, projectIds }, MAX_TOKEN_KEYS)
    : undefined;
  const nowMs = Date.now();
  return {
    token: await signActorToken(signingKey, { ...actor, keyIds }, nowMs),
    expiresAtMs: BigInt(nowMs + ACTOR_TOKEN_MS),
    role: roleOf(role),
    accountId: accountId ?? '',
    actorId: id,
  };
}
