import { unaryCall } from '@tollgate/common/grpc/client';
import { type AuthServiceClient, type GetCredentialResponse, SessionEvent } from '@tollgate/proto/auth';
import { SessionKind } from '@tollgate/proto/console/sign_in';
import type { Dependencies } from '../dependencies.ts';
import { ApiError } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { unlessMissing } from '../lookups/unless-missing.ts';
import { recordSession } from '../sessions/record-session.ts';
import { showSession } from '../sessions/show-session.ts';
import { takePasswordAttempt } from '../sign-in/attempt-limits.ts';
import { deleteSession, listSessions, setViewAs } from '../store/sessions.ts';

const CALL = { deadlineMs: 5_000 };
const SESSION_KINDS = { browser: SessionKind.BROWSER, command_line: SessionKind.COMMAND_LINE } as const;

/** Handlers of sessions and of a person's own settings. */
export function signInHandlers(deps: Dependencies) {
  const { config, auth, actors, pool, passwords, sessions, playgroundKeys, logger } = deps;
  return {
    getConfig: async () => ({
      serviceName: config.SERVICE_NAME,
      baseUrl: config.BASE_URL,
      consoleUrl: config.CONSOLE_URL,
      oidc: config.OIDC_ISSUER === undefined ? undefined : { name: config.OIDC_NAME },
      mail: config.SMTP_URL !== undefined,
      traceUrl: config.TRACE_URL,
      payments: config.PAYMENTS_ADDRESS !== undefined,
    }),

    // An unknown address takes the same time and has the same error as a wrong password.
    signIn: async ({ email, password }, { client, response }) => {
      const succeed = await takePasswordAttempt(pool, email, client.ip);
      const credential = await findCredential(auth, email);
      const hash = credential?.passwordHash;
      const isRight = await passwords.matches(password, hash === '' ? undefined : hash);
      if (!isRight || credential?.person === undefined) {
        // Not waited for: its time would say whether somebody has the address.
        recordSession(auth, { email }, SessionEvent.REFUSED, { method: 'password', ip_address: client.ip }).catch(
          (error: unknown) => logger.error({ err: error }, 'a refused sign-in was not recorded'),
        );
        throw new ApiError('not_signed_in', 'The e-mail address or the password is wrong.');
      }
      await succeed();
      return showSession(deps, await sessions.begin(response, credential.person, client, 'password'));
    },

    // Null for nobody is no error: every page asks.
    getSession: async (_, { session }) => ({
      session: session === undefined ? undefined : await showSession(deps, session),
    }),

    signOut: async (_, { session, response }) => {
      await deleteSession(pool, session.personId, session.sessionId);
      sessions.clearCookie(response);
      playgroundKeys.deleteOf(session.personId);
    },

    // Auth records when an operator begins to view an account.
    viewAs: async (request, { session }) => {
      const accountId = request.accountId === '' ? undefined : request.accountId.toLowerCase();
      if (accountId !== undefined) {
        const operator = await actors.operatorToken(session);
        if (operator === undefined) throw new ApiError('not_allowed', 'Only operators may view an account.');
        await unaryCall(auth.beginViewAs.bind(auth), { accountId }, { ...CALL, actorToken: operator.token });
      }
      await setViewAs(pool, session.sessionId, accountId);
      return showSession(deps, { ...session, viewAsAccountId: accountId });
    },

    updatePerson: async ({ name }, { session }) => {
      await unaryCall(auth.updatePerson.bind(auth), { personId: session.personId, name }, CALL);
      return showSession(deps, session);
    },

    // The most recently used first.
    listSessions: async (_, { session }) => ({
      data: (await listSessions(pool, session)).map((row) => ({
        sessionId: row.session_id,
        device: row.device,
        ipAddress: row.ip_address,
        createdAtMs: BigInt(row.created_at.getTime()),
        lastSeenAtMs: BigInt(row.last_seen_at.getTime()),
        kind: SESSION_KINDS[row.kind],
        current: row.session_id === session.sessionId,
      })),
    }),

    endSession: async ({ sessionId }, { session: { personId } }) => {
      if (!(await deleteSession(pool, personId, sessionId)))
        throw new ApiError('not_found', 'You have no such session.');
      await recordSession(auth, { personId }, SessionEvent.ENDED, { session_id: sessionId, by: 'another session' });
    },
  } satisfies Partial<Handlers>;
}

function findCredential(auth: AuthServiceClient, email: string): Promise<GetCredentialResponse | undefined> {
  return unlessMissing(unaryCall(auth.getCredential.bind(auth), { email }, CALL));
}
