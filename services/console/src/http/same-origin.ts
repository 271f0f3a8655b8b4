import type { RequestHandler } from 'express';
import { ApiError } from './api-error.ts';
import { readBearer } from './bearer.ts';

const READS: readonly string[] = ['GET', 'HEAD'];

/**
 * Refuses changes that a page of another site makes with the cookie of a person: browsers name the origin of every request
 * that is not a plain read.
 */
export function createSameOriginCheck(consoleUrl: string): RequestHandler {
  return (req, _res, next) => {
    const { origin, 'sec-fetch-site': site } = req.headers;
    const isOwn = origin === consoleUrl && (site === undefined || site === 'same-origin');
    // With a bearer token the cookie has no say, and no page of another site can send one.
    if (READS.includes(req.method) || isOwn || readBearer(req) !== undefined) return next();
    throw new ApiError('not_allowed', `Only pages at ${consoleUrl} may do this.`);
  };
}
