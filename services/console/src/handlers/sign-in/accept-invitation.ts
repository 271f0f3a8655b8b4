import { unaryCall } from '@tollgate/common/grpc/client';
import type { Pool } from '@tollgate/common/postgres/pool';
import { hashOfSecret } from '@tollgate/common/secret-links';
import type { AcceptInvitationRequest } from '@tollgate/proto/auth';
import { apiErrors } from '../../http/api-error.ts';
import type { Call, Handler } from '../../http/handler.ts';
import type { Passwords } from '../../passwords/passwords.ts';
import { renderSession, type SessionView } from '../../sessions/render-session.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { takeNewPasswordAttempt, withLink } from '../../sign-in/attempt-limits.ts';

type Route = 'POST /invitations/accept';

const CALL = { deadlineMs: 5_000 };

/**
 * Accepts an invitation: for the signed-in person, or for a new one, who is signed in then. By a link that was not mailed a new
 * one gets their password only, and null: they sign in and accept.
 */
export function createAcceptInvitationHandler(
  deps: SessionView & { pool: Pool; passwords: Passwords; sessions: Sessions },
): Handler<Route> {
  const { auth, pool, passwords, sessions } = deps;
  return async (call) => {
    const { body, client, session, response } = call;
    const secretSha256 = hashOfSecret(body.secret);
    // Before the costly hash of a new password.
    await withLink(pool, client.ip, unaryCall(auth.getInvitation.bind(auth), { secretSha256 }, CALL));
    if (session === undefined) await takeNewPasswordAttempt(pool, secretSha256);
    const who = await whoAccepts(call, passwords);
    const request = { secretSha256, who, sessionGeneration: session?.generation };
    const accepting = unaryCall(auth.acceptInvitation.bind(auth), request, CALL);
    const { person } = await withLink(pool, client.ip, accepting);
    if (person === undefined) return null;
    return renderSession(deps, session ?? (await sessions.begin(response, person, client, 'invitation')));
  };
}

async function whoAccepts(
  { body, session }: Call<Route>,
  passwords: Passwords,
): Promise<NonNullable<AcceptInvitationRequest['who']>> {
  if (session !== undefined) return { $case: 'personId', value: session.personId };
  if (body.name === undefined) throw apiErrors.invalid('name', 'required');
  if (body.password === undefined) throw apiErrors.invalid('password', 'required');
  return { $case: 'newPerson', value: { name: body.name, passwordHash: await passwords.hash(body.password) } };
}
