import type { Request } from 'express';
import type { ActorTokens, IssuedToken } from '../actors/actor-tokens.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { ApiError, apiErrors } from './api-error.ts';
import type { Caller } from './operations-router.ts';

/** Identifies people by the session in their cookie. */
export function createIdentifyBySession({ sessions, actors }: { sessions: Sessions; actors: ActorTokens }) {
  return async (req: Request): Promise<Caller> => {
    const session = await sessions.of(req);
    const token = async (accountId: string | undefined): Promise<IssuedToken> => {
      if (session === undefined) throw apiErrors.notSignedIn();
      return actors.ofSession(session, accountId);
    };
    return { session, token };
  };
}

const BEARER = /^Bearer +(\S+)$/i;
/** `mk-<service>-<secret>`. */
const MANAGEMENT_KEY = /^mk-[0-9A-Za-z-]{20,200}$/;

/** Identifies programs by their management key. */
export function createIdentifyByManagementKey({ actors }: { actors: ActorTokens }) {
  return async (req: Request): Promise<Caller> => {
    const [, key = ''] = BEARER.exec(req.get('authorization') ?? '') ?? [];
    const token = MANAGEMENT_KEY.test(key) ? await actors.ofManagementKey(key) : undefined;
    if (token === undefined) {
      throw new ApiError('not_signed_in', 'Send a valid management key: `Authorization: Bearer mk-…`.');
    }
    return { session: undefined, token: async () => (await actors.ofManagementKey(key)) ?? token };
  };
}
