import { randomBytes, randomUUID } from 'node:crypto';
import type { RateLimits } from '@tollgate/common/keys/index';
import { createLogger } from '@tollgate/common/logging';
import type { RedisClient } from '@tollgate/common/redis/client';
import { limitsOf, type RequestLimits } from '../src/edge/limits/applicable.ts';
import { Limiter } from '../src/edge/limits/limiter.ts';
import type { Admission } from '../src/shared/request/admission.ts';

/** The limiter of one ingress, with more capacity than a test needs. */
export function limiterOn(redis: RedisClient): Limiter {
  return new Limiter({
    redis,
    processName: randomUUID(),
    logger: createLogger('test', 'silent'),
    maxOpen: 10_000,
    maxOpenPerAccount: 10_000,
  });
}

export interface LimitedKey {
  key: { keyId: string; accountTag: string };
  /** The limits of a model call with it. */
  limits: RequestLimits;
}

/** A key of a new account, with bursts of ten seconds. */
export function newKey(limits: RateLimits | undefined, accountLimits?: RateLimits): LimitedKey {
  const key = { keyId: randomUUID(), accountTag: randomBytes(6).toString('hex'), limits, accountLimits, nodes: [] };
  return { key, limits: limitsOf(key, { usesTokens: true, model: undefined }) };
}

/** Admits a request. @throws Error without capacity */
export function admitRequest(limiter: Limiter): Admission {
  const admission = limiter.admitRequest('account');
  if (typeof admission === 'string') throw new Error(admission);
  return admission;
}
