import type { Pool } from '@tollgate/common/postgres/pool';
import { type AuthServiceClient, SessionEvent } from '@tollgate/proto/auth';
import { ApiError } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { recordSession } from '../../sessions/record-session.ts';
import { deleteSession } from '../../store/sessions.ts';

/** Ends one of the signed-in person's sessions. */
export function createEndSessionHandler({
  pool,
  auth,
}: {
  pool: Pool;
  auth: AuthServiceClient;
}): Handler<'DELETE /person/sessions/{session_id}'> {
  return async ({ session, path }) => {
    if (!(await deleteSession(pool, session.personId, path.session_id))) {
      throw new ApiError('not_found', 'You have no such session.');
    }
    const { personId } = session;
    await recordSession(auth, { personId }, SessionEvent.ENDED, { session_id: path.session_id, by: 'another session' });
  };
}
