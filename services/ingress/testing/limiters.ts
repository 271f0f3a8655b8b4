import { randomBytes, randomUUID } from 'node:crypto';
import type { RateLimits } from '@tollgate/common/keys/index';
import { createLogger } from '@tollgate/common/logging';
import type { RedisClient } from '@tollgate/common/redis/client';
import type { Admission } from '../src/limits/admission.ts';
import { limitsOf, type RequestLimits } from '../src/limits/applicable.ts';
import { Limiter } from '../src/limits/limiter.ts';

/** One ingress's limiter, with places for more requests than a test has. */
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
  /** What a call of a model by it is held to. */
  limits: RequestLimits;
}

/** A key of an account of its own, with bursts of ten seconds. */
export function newKey(limits: RateLimits | undefined, accountLimits?: RateLimits): LimitedKey {
  const key = { keyId: randomUUID(), accountTag: randomBytes(6).toString('hex'), limits, accountLimits };
  return { key, limits: limitsOf(key, { usesTokens: true, model: undefined }, 10) };
}

/** Gives a request its place. @throws Error where there is none */
export function admit(limiter: Limiter): Admission {
  const admission = limiter.admitRequest('account');
  if (typeof admission === 'string') throw new Error(admission);
  return admission;
}
