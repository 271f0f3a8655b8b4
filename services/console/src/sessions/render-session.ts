import { MEMBER_ROLES, roleName } from '@tollgate/common/actors/roles';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient, Membership } from '@tollgate/proto/auth';
import type { SessionTokens } from '../actors/session-tokens.ts';
import { apiErrors } from '../http/api-error.ts';
import { required } from '../required.ts';
import type { Session } from './session.ts';

const DEADLINE_MS = 5_000;

export interface SessionView {
  auth: AuthServiceClient;
  actors: SessionTokens;
}

/** A session with its person and what they may act in. */
export async function renderSession({ auth, actors }: SessionView, session: Session) {
  const request = { personId: session.personId };
  const { person, memberships } = await unaryCall(auth.getPerson.bind(auth), request, { deadlineMs: DEADLINE_MS });
  const { personId, email, name, isOperator, hasPassword, sessionGeneration } = required(person);
  if (sessionGeneration !== session.generation) throw apiErrors.notSignedIn();
  return {
    session_id: session.sessionId,
    person: { person_id: personId, email, name, is_operator: isOperator, has_password: hasPassword },
    memberships: memberships.map(renderMembership),
    view_as: session.viewAsAccountId === undefined ? null : await viewedAccount({ auth, actors }, session),
    expires_at: session.expiresAt.toISOString(),
  };
}

async function viewedAccount({ auth, actors }: SessionView, session: Session) {
  const accountId = session.viewAsAccountId ?? '';
  const { token } = await actors.tokenOf(session, accountId);
  const options = { deadlineMs: DEADLINE_MS, actorToken: token };
  const { account } = await unaryCall(auth.getAccount.bind(auth), { accountId }, options);
  return { account_id: accountId, account_name: required(account).name };
}

function renderMembership({ accountId, accountName, role }: Membership) {
  const name = MEMBER_ROLES.find((each) => each === roleName(role));
  if (name === undefined) throw new Error('auth has returned a membership without a role');
  return { account_id: accountId, account_name: accountName, role: name };
}
