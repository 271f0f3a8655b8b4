import { unaryCall } from '@tollgate/common/grpc/client';
import { hashOfSecret } from '@tollgate/common/secret-links';
import { type AcceptInvitationRequest, Role } from '@tollgate/proto/auth';
import type { AcceptInvitationRequest as Acceptance } from '@tollgate/proto/console/members';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { invite } from '../invitations/invite.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { required } from '../required.ts';
import type { Session } from '../sessions/session.ts';
import { showSession } from '../sessions/show-session.ts';
import { takeNewPasswordAttempt, withLink } from '../sign-in/attempt-limits.ts';

const CALL = { deadlineMs: 5_000 };

/** Handlers of invitations, to an account and to be an operator. */
export function invitationHandlers(deps: Dependencies) {
  const { auth, pool, passwords, sessions } = deps;
  return {
    createInvitation: async ({ accountId, email, role }, { session, rpc }) =>
      invite(deps, { accountId, email, role, inviterId: session?.personId }, await rpc()),

    inviteOperator: async ({ email }, { session, rpc }) =>
      invite(deps, { accountId: '', email, role: Role.OPERATOR, inviterId: session?.personId }, await rpc()),

    findInvitation: async ({ secret }, { client }) => {
      const finding = unaryCall(auth.getInvitation.bind(auth), { secretSha256: hashOfSecret(secret) }, CALL);
      const found = await withLink(pool, client.ip, finding);
      const { email, accountName, role, invitedBy, expiresAtMs } = required(found.invitation);
      return { email, accountName, role, invitedBy, expiresAtMs, personExists: found.personExists };
    },

    // A new person is signed in then. By a link that was not mailed they get their password only, and null: they sign in and
    // accept.
    acceptInvitation: async (request, { client, session, response }) => {
      const secretSha256 = hashOfSecret(request.secret);
      // Before the costly hash of a new password.
      await withLink(pool, client.ip, unaryCall(auth.getInvitation.bind(auth), { secretSha256 }, CALL));
      if (session === undefined) await takeNewPasswordAttempt(pool, secretSha256);
      const who = await whoAccepts(request, session, passwords);
      const accepted = { secretSha256, who, sessionGeneration: session?.generation };
      const accepting = unaryCall(auth.acceptInvitation.bind(auth), accepted, CALL);
      const { person } = await withLink(pool, client.ip, accepting);
      if (person === undefined) return { session: undefined };
      const begun = session ?? (await sessions.begin(response, person, client, 'invitation'));
      return { session: await showSession(deps, begun) };
    },
  } satisfies Partial<Handlers>;
}

async function whoAccepts(
  { name, password }: Acceptance,
  session: Session | undefined,
  passwords: Passwords,
): Promise<NonNullable<AcceptInvitationRequest['who']>> {
  if (session !== undefined) return { $case: 'personId', value: session.personId };
  if (name === undefined) throw apiErrors.invalid('name', 'required');
  if (password === undefined) throw apiErrors.invalid('password', 'required');
  return { $case: 'newPerson', value: { name, passwordHash: await passwords.hash(password) } };
}
