import { status } from '@grpc/grpc-js';
import { roleOf } from '@tollgate/common/actors/roles';
import { isEmail } from '@tollgate/common/descriptors/read-json';
import { isGrpcError } from '@tollgate/common/errors';
import { unaryCall } from '@tollgate/common/grpc/client';
import { clientAddress } from '@tollgate/common/http/client-network';
import type { Logger } from '@tollgate/common/logging';
import { type AuthServiceClient, type Person, SessionEvent } from '@tollgate/proto/auth';
import type { Request, RequestHandler, Response } from 'express';
import type { ConsoleConfig } from '../../config.ts';
import type { BrowserFlows } from '../../oidc/browser-flows.ts';
import { type OidcProvider, ProviderUnavailable, type VerifiedIdentity } from '../../oidc/provider.ts';
import { required } from '../../required.ts';
import { recordSession } from '../../sessions/record-session.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { type OidcFailure, redirectTo, redirectToSignIn } from './redirects.ts';

const DEADLINE_MS = 5_000;

export interface FinishOidcDependencies {
  config: ConsoleConfig;
  logger: Logger;
  auth: AuthServiceClient;
  sessions: Sessions;
  oidc: OidcProvider;
  oidcFlows: BrowserFlows;
}

/** `GET /oidc/callback`: verifies what the provider says and begins a session, or leads to the sign-in page. */
export function createFinishOidcHandler(deps: FinishOidcDependencies): RequestHandler {
  const { config, logger, sessions, oidc, oidcFlows } = deps;
  return async (req: Request, res: Response) => {
    res.locals['route'] = '/oidc/callback';
    const { state } = req.query;
    const flow = await oidcFlows.take(req, res, typeof state === 'string' ? state : '');
    if (flow === undefined) {
      redirectToSignIn(res, config.CONSOLE_URL, 'expired', '/');
      return;
    }
    try {
      const query = new URL(req.originalUrl, config.CONSOLE_URL).search;
      const client = { ip: clientAddress(req, config.TRUSTED_PROXIES), userAgent: req.get('user-agent') ?? '' };
      const identity = await oidc.finish(query, flow);
      const person = await findPerson(deps, identity).catch(async (error: unknown) => {
        await recordRefused(deps, identity, client.ip);
        throw error;
      });
      await sessions.begin(res, person, client, 'openid_connect');
    } catch (error) {
      const failure = failureOf(error);
      // Codes only: errors of the client library quote tokens.
      logger.warn({ failure, reason: reasonOf(error) }, 'a sign-in with OpenID Connect was refused');
      redirectToSignIn(res, config.CONSOLE_URL, failure, flow.returnTo);
      return;
    }
    redirectTo(res, config.CONSOLE_URL, flow.returnTo);
  };
}

/** Records that an identity may not sign in as the person with its address. */
async function recordRefused({ auth }: FinishOidcDependencies, identity: VerifiedIdentity, ip: string): Promise<void> {
  const { issuer, verifiedEmail: email } = identity;
  if (!isEmail(email.trim())) return;
  const details = { method: 'openid_connect', issuer, ip_address: ip };
  await recordSession(auth, { email }, SessionEvent.REFUSED, details);
}

async function findPerson(
  { config, auth }: FinishOidcDependencies,
  { issuer, subject, verifiedEmail, name }: VerifiedIdentity,
): Promise<Person> {
  const join = config.OIDC_JOIN.get(verifiedEmail.slice(verifiedEmail.lastIndexOf('@') + 1));
  const request = {
    identity: { issuer, subject },
    verifiedEmail,
    name,
    join: join === undefined ? undefined : { accountId: join.accountId, role: roleOf(join.role) },
  };
  const options = { deadlineMs: DEADLINE_MS };
  const { person } = await unaryCall(auth.signInWithIdentity.bind(auth), request, options);
  return required(person);
}

function failureOf(error: unknown): OidcFailure {
  if (error instanceof ProviderUnavailable) return 'unavailable';
  if (!isGrpcError(error)) return 'failed';
  if (error.code === status.PERMISSION_DENIED) return 'not_allowed';
  return error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED ? 'unavailable' : 'failed';
}

function reasonOf(error: unknown): string {
  if (isGrpcError(error)) return error.details;
  return error instanceof Error && 'code' in error ? `${error.name} ${error.code}` : 'unknown';
}
