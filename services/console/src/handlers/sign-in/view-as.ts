import { unaryCall } from '@tollgate/common/grpc/client';
import type { Pool } from '@tollgate/common/postgres/pool';
import { ApiError } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { renderSession, type SessionView } from '../../sessions/render-session.ts';
import { setViewAs } from '../../store/sessions.ts';

const DEADLINE_MS = 5_000;

/** Lets an operator view an account, read-only, as its members see it; null ends that. Auth records when it begins. */
export function createViewAsHandler(deps: SessionView & { pool: Pool }): Handler<'PUT /session/view-as'> {
  const { auth, actors, pool } = deps;
  return async ({ session, body }) => {
    const accountId = body.account_id?.toLowerCase();
    if (accountId !== undefined) {
      const operator = await actors.operatorToken(session);
      if (operator === undefined) throw new ApiError('not_allowed', 'Only operators may view an account.');
      const options = { deadlineMs: DEADLINE_MS, actorToken: operator.token };
      await unaryCall(auth.beginViewAs.bind(auth), { accountId }, options);
    }
    await setViewAs(pool, session.sessionId, accountId);
    return renderSession(deps, { ...session, viewAsAccountId: accountId });
  };
}
