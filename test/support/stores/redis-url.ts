import { inject } from 'vitest';
import '../vitest/context.ts';

/** The real Redis shared by all test files: use random keys, and never FLUSHALL. */
export function redisUrl(): string {
  return inject('servers').redisUrl;
}
