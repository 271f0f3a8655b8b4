import type { Request } from 'express';
import type { IssuedToken } from '../actors/issued-token.ts';
import type { ManagementKeys } from '../actors/management-keys.ts';
import type { SessionTokens } from '../actors/session-tokens.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { ApiError, apiErrors } from './api-error.ts';
import type { Client } from './handler.ts';
import type { Caller } from './operations-router.ts';

/** Identifies people by the session in their cookie. */
export function createIdentifyBySession({ sessions, actors }: { sessions: Sessions; actors: SessionTokens }) {
  return async (req: Request): Promise<Caller> => {
    const session = await sessions.of(req);
    const token = async (accountId: string | undefined): Promise<IssuedToken> => {
      if (session === undefined) throw apiErrors.notSignedIn();
      return actors.tokenOf(session, accountId);
    };
    return { session, token };
  };
}

const BEARER = /^Bearer +(\S+)$/i;

/** Identifies programs by their management key. */
export function createIdentifyByManagementKey({ managementKeys }: { managementKeys: ManagementKeys }) {
  return async (req: Request, client: Client): Promise<Caller> => {
    const [, key = ''] = BEARER.exec(req.get('authorization') ?? '') ?? [];
    const token = async () => {
      const issued = await managementKeys.tokenOf(key, client.ip);
      if (issued !== undefined) return issued;
      throw new ApiError('not_signed_in', 'Send a management key that is active: `Authorization: Bearer mk-…`.');
    };
    await token();
    return { session: undefined, token };
  };
}
