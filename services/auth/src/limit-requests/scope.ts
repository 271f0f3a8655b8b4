import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import type { Queryable } from '@tollgate/common/postgres/pool';
import type { LimitRequest } from '@tollgate/proto/auth';
import {
  findLimitRequest,
  type LimitRequestRow,
  type LimitRequestScope,
  toLimitRequest,
} from '../store/limit-requests.ts';

/** The limit requests that an actor sees: a developer only their own. */
export function limitRequestScope(actor: Actor, accountId: string): LimitRequestScope {
  return { accountId, askedById: actor.role === 'developer' ? actor.id : undefined };
}

/** A limit request as an actor sees it: a developer without the names of members, whom they see nowhere else. */
export function limitRequestFor(actor: Actor, row: LimitRequestRow): LimitRequest {
  return toLimitRequest(row, actor.role !== 'developer');
}

/** Finds a limit request that an actor sees. @param lock until the end of the transaction */
export async function requireLimitRequest(
  db: Queryable,
  scope: LimitRequestScope,
  limitRequestId: string,
  lock = false,
): Promise<LimitRequestRow> {
  const row = await findLimitRequest(db, scope, limitRequestId, lock);
  if (row === undefined) throw new RpcError('not_found', 'no such limit request');
  return row;
}

/** Refuses to answer what is not open. */
export function requireOpen({ status }: LimitRequestRow): void {
  if (status !== 'open') throw new RpcError('failed_precondition', `the limit request is ${status}`);
}
