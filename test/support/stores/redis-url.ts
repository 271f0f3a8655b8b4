import { inject } from 'vitest';
import '../vitest/context.ts';

/** A real Redis that all test files share: use random keys, and never FLUSHALL. */
export function redisUrl(): string {
  return inject('servers').redisUrl;
}
