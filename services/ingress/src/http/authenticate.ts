import type { NextFunction } from 'express';
import { presentedKey } from '../authenticate/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../errors/api-error.ts';
import { createBodyReader } from './body.ts';
import type { TollgateRequest, TollgateResponse } from './request-context.ts';
import { acceptedHeaders } from './surface.ts';

const EMPTY = Buffer.alloc(0);

/**
 * Lets through requests with a live key. A key that is missing or cannot be one is refused before the body is read; the
 * store is asked once the body is there. What is wrong with the body itself is said only to holders of a live key.
 */
export function authenticate({
  authenticator,
  keyUse,
  config,
}: Pick<Dependencies, 'authenticator' | 'keyUse' | 'config'>) {
  const readBody = createBodyReader(config.MAX_BODY_BYTES);
  const billingLimit = {
    bucket: 'billing',
    perMinute: config.BILLING_REQUESTS_PER_MINUTE,
    burst: config.BILLING_BURST,
  } as const;

  return async (req: TollgateRequest, res: TollgateResponse, next: NextFunction): Promise<void> => {
    const { context } = res.locals;
    const presented = presentedKey(req.headers, context.surface === 'generative');
    if (presented.kind === 'missing') throw closing(res, apiErrors.missingCredential(acceptedHeaders(context.surface)));
    if (!authenticator.isWellFormed(presented.text))
      throw closing(res, apiErrors.refusedKey(presented.kind, 'malformed'));

    const body = hasBody(req) ? await readBody(req, res) : { kind: 'body' as const, bytes: EMPTY };
    if (body.kind === 'aborted') return;

    const result = await authenticator.authenticate(
      presented.text,
      context.surface === 'billing' ? billingLimit : undefined,
    );
    switch (result.kind) {
      case 'active':
        context.key = { ...result.key, credential: presented.kind };
        keyUse.used(result.key.keyId, context.startedAtMs);
        break;
      case 'refused':
        throw closing(res, apiErrors.refusedKey(presented.kind, result.reason));
      case 'limited':
        throw apiErrors.rateLimited(result.retryAfterMs);
      case 'unavailable':
        throw apiErrors.unavailable('The key service');
      default:
        result satisfies never;
    }
    if (body.kind === 'refused') throw closing(res, body.error);
    if (req.headers.upgrade !== undefined && /websocket/i.test(req.headers.upgrade)) throw apiErrors.upgradeRefused();
    res.locals.body = body.bytes;
    next();
  };
}

function hasBody(req: TollgateRequest): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/** Where a body may be left unread, the connection is not used again. */
function closing<E>(res: TollgateResponse, error: E): E {
  if (!res.req.complete) res.setHeader('connection', 'close');
  return error;
}
