import type { CachedKey } from '@tollgate/common/keys/index';
import type { NextFunction } from 'express';
import type { GateVisit } from '../auth-throttle/gate.ts';
import { type PresentedKey, presentedKey } from '../authenticate/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../errors/api-error.ts';
import {
  type Admission,
  billingLimits,
  limitedCallOf,
  limitReached,
  limitsOf,
  noPlace,
  setLimitHeaders,
} from '../limits/index.ts';
import { type BodyResult, readBody } from './body.ts';
import { askForBody, awaitsAsking } from './check-head.ts';
import type { TollgateRequest, TollgateResponse } from './request-context.ts';
import { acceptedHeaders } from './surface.ts';
import { closing, hasBody } from './unread-body.ts';

const EMPTY_BODY = { kind: 'body', bytes: Buffer.alloc(0) } as const satisfies BodyResult;
/** How long the rest of a body is still taken when its request is refused. */
const LINGER_MS = 2_000;

type Deps = Pick<
  Dependencies,
  'authenticator' | 'gate' | 'keyUse' | 'limiter' | 'routes' | 'config' | 'requestBuffers'
>;
type PresentKey = Exclude<PresentedKey, { kind: 'missing' }>;

/**
 * Lets through requests with a live key, a place and enough left of their limits, judged in the order key, limits, body.
 * A key that is missing or cannot be one is refused from the head alone. No body is read before its key is known to be
 * good, as anyone can make up a key that looks like one; what is wrong with the body is said only to those who pass all
 * else.
 */
export function authenticate(deps: Deps) {
  return async (req: TollgateRequest, res: TollgateResponse, next: NextFunction): Promise<void> => {
    const { context } = res.locals;
    const presented = presentedKey(req.headers, context.surface === 'generative');
    const visit = deps.gate.enter(req, res);
    if (presented.kind === 'missing') {
      visit.missing();
      throw closing(res, apiErrors.missingCredential(acceptedHeaders(context.surface)));
    }
    if (!deps.authenticator.isWellFormed(presented.text))
      throw closing(res, await visit.refused(presented.kind, 'malformed'));

    const waitMs = visit.waitBeforeLook(presented.text);
    if (waitMs > 0) throw closing(res, apiErrors.tooManyFailures(waitMs));

    let asked = false;
    try {
      const key = await liveKey(deps, presented, visit);
      const admission = admit(deps, key, res);
      // The key may die while its body is still being sent.
      const isWhole = req.complete || !hasBody(req);
      askForBody(req, res);
      asked = true;
      const body = hasBody(req) ? await read(deps, admission, key, req) : EMPTY_BODY;
      if (body.kind === 'aborted') return;
      const current = isWhole ? key : await liveKey(deps, presented, visit);
      context.key = { ...current, credential: presented.kind };
      deps.keyUse.used(current.keyId, context.startedAtMs);
      visit.passed(current.accountTag);
      await takeLimits(deps, admission, current, body, req, res);
      if (body.kind === 'refused') throw body.error;
      if (req.headers.upgrade !== undefined && /websocket/i.test(req.headers.upgrade)) throw apiErrors.upgradeRefused();
      res.locals.body = body.bytes;
    } catch (refusal) {
      if (asked || !awaitsAsking(req)) await drain(req);
      if (req.destroyed && !req.complete) return;
      throw closing(res, refusal);
    }
    next();
  };
}

/** Reads a body, whose bytes stay reserved until the request is over. */
function read(
  { requestBuffers, config }: Deps,
  admission: Admission,
  { accountId }: CachedKey,
  req: TollgateRequest,
): Promise<BodyResult> {
  const reservation = requestBuffers.open(accountId);
  admission.whenOver(() => reservation.release());
  return readBody(req, config.MAX_BODY_BYTES, reservation);
}

/** @throws ApiError 401 for a key that is not good, 429 after too many of them, 503 where nobody can tell */
async function liveKey({ authenticator }: Deps, presented: PresentKey, visit: GateVisit): Promise<CachedKey> {
  const result = await authenticator.authenticate(presented.text);
  switch (result.kind) {
    case 'active':
      return result.key;
    case 'refused':
      throw await visit.refused(presented.kind, result.reason);
    case 'unavailable':
      throw apiErrors.unavailable('The key service');
    default:
      return result satisfies never;
  }
}

/** Gives the request its place until its response is closed. */
function admit({ limiter }: Deps, { accountId }: CachedKey, res: TollgateResponse): Admission {
  const admission = limiter.admit(accountId);
  if (typeof admission === 'string') throw noPlace(admission);
  res.locals.context.admission = admission;
  if (res.closed) admission.release();
  else res.once('close', () => admission.release());
  return admission;
}

/** Takes what the request needs of its limits and says in the answer's head how much is left. */
async function takeLimits(
  { limiter, routes, config }: Deps,
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
      ? billingLimits(config.BILLING_REQUESTS_PER_MINUTE, config.BILLING_BURST)
      : limitsOf(key, limitedCallOf(req, surface, bytes, routes.table), config.RATE_LIMIT_BURST_SECONDS);
  const verdict = await limiter.take(admission, key, limits, bytes.length);
  if (surface !== 'billing') setLimitHeaders(res, surface, verdict.states, Date.now());
  if (verdict.kind === 'refused') throw limitReached(verdict.limit, verdict.waitMs);
}

/** Takes the rest of a body that nobody needs any more, for a while, so that its client reads the answer. */
async function drain(req: TollgateRequest): Promise<void> {
  req.resume();
  if (req.complete || req.destroyed || !hasBody(req)) return;
  await new Promise<void>((resolve) => {
    const over = () => {
      clearTimeout(timer);
      req.off('end', over).off('close', over);
      resolve();
    };
    const timer = setTimeout(over, LINGER_MS);
    req.once('end', over).once('close', over);
  });
}
