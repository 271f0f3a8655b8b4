import { unaryCall } from '@tollgate/common/grpc/client';
import type { Handler } from '../../http/handler.ts';
import { renderSession, type SessionView } from '../../sessions/render-session.ts';

const DEADLINE_MS = 5_000;

/** Changes the name of the signed-in person. */
export function createUpdatePersonHandler(deps: SessionView): Handler<'PATCH /person'> {
  const { auth } = deps;
  return async ({ session, body }) => {
    const request = { personId: session.personId, name: body.name };
    await unaryCall(auth.updatePerson.bind(auth), request, { deadlineMs: DEADLINE_MS });
    return renderSession(deps, session);
  };
}
