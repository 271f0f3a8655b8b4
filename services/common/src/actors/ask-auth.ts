import type { AuthServiceClient } from '@tollgate/proto/auth';
import { RpcError } from '../errors.ts';
import { unaryCall } from '../grpc/client.ts';
import type { HasRole } from './authorize.ts';

const DEADLINE_MS = 3_000;

/** Asks auth whether actors still have their roles. Tasks at the cluster have theirs. */
export function askAuth(auth: AuthServiceClient): HasRole {
  return async ({ via }, actorToken) => {
    if (via === 'cli') return true;
    try {
      const { hasRole } = await unaryCall(auth.checkActor.bind(auth), {}, { deadlineMs: DEADLINE_MS, actorToken });
      return hasRole;
    } catch (error) {
      throw new RpcError('unavailable', 'auth does not say whether the actor still has their role', { cause: error });
    }
  };
}
