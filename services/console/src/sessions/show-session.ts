import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Session as ShownSession, ViewedAccount } from '@tollgate/proto/console/sign_in';
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
export async function showSession({ auth, actors }: SessionView, session: Session): Promise<ShownSession> {
  const request = { personId: session.personId };
  const { person, memberships } = await unaryCall(auth.getPerson.bind(auth), request, { deadlineMs: DEADLINE_MS });
  if (required(person).sessionGeneration !== session.generation) throw apiErrors.notSignedIn();
  return {
    sessionId: session.sessionId,
    person,
    memberships,
    viewAs: session.viewAsAccountId === undefined ? undefined : await viewedAccount({ auth, actors }, session),
    expiresAtMs: BigInt(session.expiresAt.getTime()),
  };
}

async function viewedAccount({ auth, actors }: SessionView, session: Session): Promise<ViewedAccount> {
  const accountId = session.viewAsAccountId ?? '';
  const { token } = await actors.tokenOf(session, accountId);
  const options = { deadlineMs: DEADLINE_MS, actorToken: token };
  const { account } = await unaryCall(auth.getAccount.bind(auth), { accountId }, options);
  return { accountId, accountName: required(account).name };
}
