import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Minted, RefreshedValue } from './refreshed-value.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A source of numbered values, which fails while `problem` is set. */
function createSource(lifeMs: number) {
  const failures: string[] = [];
  const state = { mints: 0, problem: '', delayMs: 100, lifeMs };
  const value = new RefreshedValue<string>({
    mint: async (): Promise<Minted<string>> => {
      const number = ++state.mints;
      await new Promise((resolve) => setTimeout(resolve, state.delayMs));
      if (state.problem !== '') throw new Error(state.problem);
      return { value: `value ${number}`, expiresAtMs: Date.now() + state.lifeMs };
    },
    now: Date.now,
    onFailure: (detail) => failures.push(detail),
  });
  return { state, value, failures };
}

async function obtain(value: RefreshedValue<string>) {
  const obtained = value.get();
  await vi.advanceTimersByTimeAsync(100);
  return await obtained;
}

describe('RefreshedValue', () => {
  it('obtains one value for all who wait', async () => {
    const { value, state } = createSource(HOUR_MS);
    const waiting = [value.get(), value.get(), value.get()];
    await vi.advanceTimersByTimeAsync(100);
    expect(await Promise.all(waiting)).toEqual(Array(3).fill({ kind: 'value', value: 'value 1' }));
    expect(state.mints).toBe(1);
  });

  it('is refreshed five minutes ahead in the background while it is used', async () => {
    const { value, state } = createSource(HOUR_MS);
    await obtain(value);
    await vi.advanceTimersByTimeAsync(54 * MINUTE_MS);
    expect(state.mints).toBe(1);
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect(state.mints).toBe(2);
    expect(await value.get()).toEqual({ kind: 'value', value: 'value 2' });
    // Nobody waited: the old value was valid meanwhile.
    value.close();
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(state.mints).toBe(2);
  });

  it('is not refreshed when nobody has used it', async () => {
    const { value, state } = createSource(HOUR_MS);
    await obtain(value);
    await vi.advanceTimersByTimeAsync(56 * MINUTE_MS);
    expect(state.mints).toBe(2);
    await vi.advanceTimersByTimeAsync(10 * HOUR_MS);
    expect(state.mints).toBe(2);
    expect(await obtain(value)).toEqual({ kind: 'value', value: 'value 3' });
  });

  it('keeps a valid value when a refresh fails, and tries again with growing pauses', async () => {
    const { value, state, failures } = createSource(HOUR_MS);
    await obtain(value);
    state.problem = 'the token endpoint is away';
    await vi.advanceTimersByTimeAsync(56 * MINUTE_MS);
    expect(await value.get()).toEqual({ kind: 'value', value: 'value 1' });
    expect(failures.length).toBeGreaterThan(2);
    expect(failures.length).toBeLessThan(8);
    state.problem = '';
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(await value.get()).toMatchObject({ kind: 'value', value: `value ${state.mints}` });
  });

  it('is missing with the reason, at once until the next attempt is due', async () => {
    const { value, state } = createSource(HOUR_MS);
    state.problem = 'the token endpoint is away';
    expect(await obtain(value)).toEqual({ kind: 'missing', detail: 'the token endpoint is away' });
    expect(await value.get()).toEqual({ kind: 'missing', detail: 'the token endpoint is away' });
    expect(state.mints).toBe(1);
    state.problem = '';
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await obtain(value)).toEqual({ kind: 'value', value: 'value 2' });
  });

  it('does not wait for a source that never answers', async () => {
    const { value, state } = createSource(HOUR_MS);
    state.delayMs = HOUR_MS;
    const waiting = value.get();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await waiting).toEqual({ kind: 'missing', detail: 'no credential within 10000 ms' });
  });

  it('is not used shortly before its end, and replaced at once when it was refused', async () => {
    const { value } = createSource(4_000);
    await obtain(value);
    value.close();
    await vi.advanceTimersByTimeAsync(3_850);
    expect(await obtain(value)).toEqual({ kind: 'value', value: 'value 2' });
    value.discard('value 1');
    expect(await value.get()).toEqual({ kind: 'value', value: 'value 2' });
    value.discard('value 2');
    expect(await obtain(value)).toEqual({ kind: 'value', value: 'value 3' });
  });
});
