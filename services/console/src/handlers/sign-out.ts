import type { Pool } from '@tollgate/common/postgres/pool';
import type { Handler } from '../http/handler.ts';
import type { PlaygroundKeys } from '../playground/playground-keys.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { deleteSession } from '../store/sessions.ts';

export function createSignOutHandler({
  pool,
  sessions,
  playgroundKeys,
}: {
  pool: Pool;
  sessions: Sessions;
  playgroundKeys: PlaygroundKeys;
}): Handler<'DELETE /session'> {
  return async ({ session, response }) => {
    await deleteSession(pool, session.personId, session.sessionId);
    sessions.clearCookie(response);
    playgroundKeys.deleteOf(session.personId);
  };
}
