import type { Request } from 'express';
import type { ManagementKeys } from '../actors/management-keys.ts';
import { reuseToken } from '../actors/reuse-token.ts';
import type { SessionTokens } from '../actors/session-tokens.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Caller } from './access.ts';
import { ApiError, apiErrors } from './api-error.ts';
import { readBearer } from './bearer.ts';
import type { Client } from './call.ts';

/** Identifies people by the session in their cookie, or of their command line. */
export function createIdentifyBySession({ sessions, actors }: { sessions: Sessions; actors: SessionTokens }) {
  return async (req: Request): Promise<Caller> => {
    const session = await sessions.of(req);
    const token: Caller['token'] = async (accountId) => {
      if (session === undefined) throw apiErrors.notSignedIn();
      return actors.tokenOf(session, accountId);
    };
    return { session, token: isRead(req) ? reuseToken(token) : token };
  };
}

/** Identifies programs by their management key. */
export function createIdentifyByManagementKey({ managementKeys }: { managementKeys: ManagementKeys }) {
  return async (req: Request, client: Client): Promise<Caller> => {
    const key = readBearer(req) ?? '';
    const present: Caller['token'] = async () => {
      const issued = await managementKeys.tokenOf(key, client.ip);
      if (issued !== undefined) return issued;
      throw new ApiError('not_signed_in', 'Send a management key that is active: `Authorization: Bearer mk-…`.');
    };
    const token = isRead(req) ? reuseToken(present) : present;
    await token(undefined);
    return { session: undefined, token };
  };
}

/** Changes are made with the role that the actor has then: each call has a token of its own. */
function isRead({ method }: Request): boolean {
  return method === 'GET';
}
