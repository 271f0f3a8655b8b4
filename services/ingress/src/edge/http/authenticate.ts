import { clientNetwork } from '@tollgate/common/http/client-network';
import { awaitsContinue } from '@tollgate/common/http/unreadable';
import type { CachedKey } from '@tollgate/common/keys/index';
import type { NextFunction } from 'express';
import type { IngressConfig } from '../../config.ts';
import type { BufferBudget } from '../../shared/buffers/buffer-budget.ts';
import { type ApiError, apiErrors } from '../../shared/errors/api-error.ts';
import { openRequestsError } from '../../shared/errors/capacity.ts';
import type { Admission } from '../../shared/request/admission.ts';
import type { KeyOwner, TollgateRequest, TollgateResponse } from '../../shared/request/request-context.ts';
import type { FailureLog } from '../authenticate/failure-log.ts';
import type { KeyAuthenticator } from '../authenticate/key-authenticator.ts';
import type { KeyUse } from '../authenticate/key-use.ts';
import { missingCredentialMessage, type PresentedKey, presentedKey } from '../authenticate/presented-key.ts';
import type { AuthenticationResult } from '../authenticate/result.ts';
import { billingLimits, limitsOf } from '../limits/applicable.ts';
import { limitError, setLimitHeaders } from '../limits/limit-responses.ts';
import type { Limiter } from '../limits/limiter.ts';
import { type LimitedModels, limitedCallOf } from '../limits/model-call.ts';
import { limitedSession } from '../limits/session-limit.ts';
import type { RefusalReporter } from '../refusals/refusal-reporter.ts';
import { type BodyResult, hasBody, readBody, withClose } from './body.ts';
import { turnOf, upgradeOf } from './connections.ts';
import { sendContinue } from './unreadable-request.ts';

const EMPTY_BODY = { kind: 'body', bytes: Buffer.alloc(0) } as const satisfies BodyResult;
/** How long a rejected request may go on sending its body, so that its client reads the response. */
const LINGER_MS = 2_000;

export interface AuthenticateDependencies {
  authenticator: KeyAuthenticator;
  failures: FailureLog;
  keyUse: KeyUse;
  refusals: Pick<RefusalReporter, 'countUnknownKey'>;
  limiter: Limiter;
  /** The latest route table; undefined until there is one. */
  routes: { readonly table: LimitedModels | undefined };
  requestBuffers: BufferBudget;
  config: Pick<IngressConfig, 'TRUSTED_PROXIES' | 'MAX_BODY_BYTES' | 'BILLING_REQUESTS_PER_MINUTE'>;
}
type Credential = Exclude<PresentedKey, { kind: 'missing' }>;

/**
 * Passes on requests with an active key, a free slot and enough left of their limits, checked in the order key, limits,
 * body. A key that is missing, malformed or throttled is rejected from the head alone. A body is read only once its key is
 * known to be active, since anyone can make up a well-formed key. Errors in the body come last.
 */
export function createAuthenticateMiddleware(deps: AuthenticateDependencies) {
  return async (req: TollgateRequest, res: TollgateResponse, next: NextFunction): Promise<void> => {
    const { context } = res.locals;
    const network = () => clientNetwork(req, deps.config.TRUSTED_PROXIES);
    const credential = presentedKey(req.headers, context.surface === 'generative');
    if (credential.kind === 'missing') {
      deps.failures.count(network(), 'missing');
      throw withClose(
        res,
        apiErrors.missingCredential(missingCredentialMessage(context.surface, req.path, req.headers)),
      );
    }
    const identity = deps.authenticator.identify(credential.text);
    const result = await deps.authenticator.authenticate(identity, network);
    context.owner = ownerOf(result);
    if (result.kind === 'throttled' || (result.kind === 'refused' && result.reason === 'malformed'))
      throw withClose(res, errorOf(deps, result, credential, network));

    let isBodyRequested = false;
    try {
      const key = activeKey(deps, result, credential, network);
      const admission = admitRequest(deps, key, res);
      // The key may be deleted while its body is still being sent.
      const isReceived = req.complete || !hasBody(req);
      sendContinue(req, res);
      isBodyRequested = true;
      const body = await readAdmittedBody(deps, admission, key, req);
      if (body.kind === 'aborted') return;
      if (body.kind === 'body') res.locals.body = body.bytes;
      const current = isReceived
        ? key
        : activeKey(deps, await deps.authenticator.authenticate(identity, network), credential, network);
      const authenticated = { ...current, session: undefined, credential: credential.kind };
      context.key = authenticated;
      deps.keyUse.used(current.keyId, context.startedAtMs);
      await takeLimits(deps, admission, current, body, req, res);
      if (body.kind === 'refused') throw body.error;
      const session = limitedSession(current, context.clientIds.clientSessionId, req.headers);
      if (session !== undefined) context.key = { ...authenticated, session };
      if (asksForWebSocket(req) && upgradeOf(req) === undefined) throw apiErrors.upgradeRefused(req.path);
    } catch (error) {
      if (isBodyRequested || !awaitsContinue(req)) await drain(req);
      if (req.destroyed && !req.complete) return;
      throw withClose(res, error);
    }
    next();
  };
}

function asksForWebSocket({ headers: { upgrade } }: TollgateRequest): boolean {
  return upgrade !== undefined && /websocket/i.test(upgrade);
}

/** Reads a body, if there is one. Its bytes stay reserved until the request is over. */
function readAdmittedBody(
  { requestBuffers, config }: AuthenticateDependencies,
  admission: Admission,
  { accountId }: CachedKey,
  req: TollgateRequest,
): Promise<BodyResult> {
  const turn = turnOf(req);
  if (turn !== undefined) {
    admission.onReleased(() => turn.reservation.release());
    return turn.readBody();
  }
  if (!hasBody(req)) return Promise.resolve(EMPTY_BODY);
  const reservation = requestBuffers.open(accountId);
  admission.onReleased(() => reservation.release());
  return readBody(req, config.MAX_BODY_BYTES, reservation);
}

/** Whose key it is, as far as that is known. */
function ownerOf(result: AuthenticationResult): KeyOwner | undefined {
  switch (result.kind) {
    case 'active':
      return result.key;
    case 'refused':
      return result.owner;
    case 'throttled':
    case 'unavailable':
      return undefined;
    default:
      return result satisfies never;
  }
}

/** @throws ApiError for anything but an active key */
function activeKey(
  deps: AuthenticateDependencies,
  result: AuthenticationResult,
  credential: Credential,
  network: () => string,
): CachedKey {
  if (result.kind === 'active') return result.key;
  throw errorOf(deps, result, credential, network);
}

/** The error response to a key that is not active: 401 if refused, 429 if throttled, 503 if it could not be looked up. */
function errorOf(
  { failures, refusals }: AuthenticateDependencies,
  result: Exclude<AuthenticationResult, { kind: 'active' }>,
  credential: Credential,
  network: () => string,
): ApiError {
  switch (result.kind) {
    case 'refused':
      failures.count(network(), result.reason);
      if (result.reason === 'unknown' || result.reason === 'malformed') refusals.countUnknownKey();
      return apiErrors.refusedKey(credential.kind, result.reason);
    case 'throttled':
      return apiErrors.tooManyUnknownKeys(result.retryAfterMs);
    case 'unavailable':
      return apiErrors.unavailable('The key service');
    default:
      return result satisfies never;
  }
}

/** Counts the request as open until its response is closed. */
function admitRequest(
  { limiter }: AuthenticateDependencies,
  { accountId }: CachedKey,
  res: TollgateResponse,
): Admission {
  const admission = limiter.admitRequest(accountId);
  if (typeof admission === 'string') throw openRequestsError(admission);
  res.locals.context.admission = admission;
  if (res.closed) admission.release();
  else res.once('close', () => admission.release());
  return admission;
}

/** Takes what the request needs of its limits and sets the headers that report what is left. */
async function takeLimits(
  { limiter, routes, config }: AuthenticateDependencies,
  admission: Admission,
  key: CachedKey,
  body: BodyResult,
  req: TollgateRequest,
  res: TollgateResponse,
): Promise<void> {
  const { surface } = res.locals.context;
  const bytes = body.kind === 'body' ? body.bytes : EMPTY_BODY.bytes;
  const limits =
    surface === 'billing'
      ? billingLimits(config.BILLING_REQUESTS_PER_MINUTE)
      : limitsOf(key, limitedCallOf(req, surface, bytes, routes.table));
  const verdict = await limiter.take(admission, key, limits, bytes.length);
  if (surface !== 'billing') {
    res.locals.context.limitLeft = setLimitHeaders(res, surface, verdict.states, Date.now());
  }
  if (verdict.kind === 'refused') throw limitError(verdict.limit, verdict.waitMs);
}

/** Discards the rest of a body for a while: a client that is still sending would not read the response. */
async function drain(req: TollgateRequest): Promise<void> {
  req.resume();
  if (req.complete || req.destroyed || !hasBody(req)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      req.off('end', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(done, LINGER_MS);
    req.once('end', done).once('close', done);
  });
}
