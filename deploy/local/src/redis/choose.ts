import { findRedisServer } from './server.ts';

/**
 * `real`: a local redis-server; `stand-in`: the stand-in; `any`: the first of them that is available; otherwise a
 * `REDIS_URL`.
 */
export type RedisChoice = string;

export type RedisSource = { kind: 'url'; url: string } | { kind: 'program'; path: string } | { kind: 'stand-in' };

/** Chooses the Redis. Several ingresses share limits and cached keys, which the stand-in does not support. */
export function chooseRedis(choice: RedisChoice, ingresses: number, find = findRedisServer): RedisSource {
  if (/^rediss?(\+sentinel)?:\/\//.test(choice)) return { kind: 'url', url: choice };
  if (choice !== 'any' && choice !== 'real' && choice !== 'stand-in')
    throw new Error('REDIS_URL must begin with redis:// or rediss://');
  const path = choice === 'stand-in' ? undefined : find();
  if (path !== undefined) return { kind: 'program', path };
  if (choice === 'real') throw new Error('There is no redis-server on PATH; install it or set REDIS_URL.');
  if (ingresses > 1) {
    throw new Error(
      `${ingresses} ingresses need a real Redis: set REDIS_URL, install redis-server, or set TOLLGATE_INGRESSES to 1.`,
    );
  }
  return { kind: 'stand-in' };
}
