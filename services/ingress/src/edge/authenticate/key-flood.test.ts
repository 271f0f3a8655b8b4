import { createLogger } from '@tollgate/common/logging';
import { KeyRefusal, type ResolveKeyRequest, ResolveKeyResponse } from '@tollgate/proto/auth';
import { describe, expect, it } from 'vitest';
import { KeyResolver, type KeySource } from './key-resolver.ts';
import { UnknownKeyLimiter } from './unknown-key-limiter.ts';

const ANSWER_MS = 100;
const GOOD = 'aa'.repeat(32);

/** A slow auth that knows one key, and counts its calls. */
function slowAuth(): { auth: KeySource; state: { calls: number } } {
  const state = { calls: 0 };
  const auth: KeySource = {
    resolveKey: ({ keySha256 }: ResolveKeyRequest, _metadata, _options, callback) => {
      state.calls += 1;
      const isGood = keySha256.toString('hex') === GOOD;
      const result = isGood
        ? { $case: 'active' as const, value: { keyId: 'k', accountId: 'a' } }
        : { $case: 'refused' as const, value: KeyRefusal.UNKNOWN };
      const timer = setTimeout(() => callback(null, ResolveKeyResponse.fromPartial({ result })), ANSWER_MS);
      return { cancel: () => clearTimeout(timer) };
    },
  };
  return { auth, state };
}

function made(index: number): string {
  return index.toString(16).padStart(64, '0');
}

describe('a flood of made-up keys from many networks', () => {
  it('does not delay a good key, and calls auth at most a thousand times', async () => {
    const { auth, state } = slowAuth();
    const unknownKeys = new UnknownKeyLimiter({ burst: 20, now: () => 1 });
    const resolver = new KeyResolver({ auth, logger: createLogger('test', 'silent'), unknownKeys });
    const resolve = (sha256: string) => resolver.resolve('tag', sha256, 0, Number.POSITIVE_INFINITY);
    expect((await resolve(GOOD)).result?.kind).toBe('active');
    let decided = 0;
    const flood = Array.from({ length: 5_000 }, async (_, index) => {
      await resolve(made(index));
      decided += 1;
    });
    await new Promise(setImmediate);
    const refusedAtOnce = decided;
    const { result } = await resolve(GOOD);
    expect(result?.kind).toBe('active');
    // Unknown keys wait for auth behind the good key.
    expect(decided - refusedAtOnce).toBeLessThanOrEqual(32);
    await Promise.all(flood);
    expect(state.calls).toBeLessThanOrEqual(1_002);
  });
});
