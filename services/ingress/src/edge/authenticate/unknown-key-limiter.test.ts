import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeyLookup, UnknownKeyLimiter } from './unknown-key-limiter.ts';

const BURST = 20;

function make(burst = BURST) {
  const clock = { ms: 1_000 };
  return { limiter: new UnknownKeyLimiter({ burst, now: () => clock.ms }), clock };
}

/** A key that this process does not know, from a network. */
function unknown(network: string, accountTag = 'unknown'): KeyLookup {
  return { sha256: `key of ${accountTag}`, accountTag, network: () => network };
}

function missTimes(limiter: UnknownKeyLimiter, lookup: KeyLookup, times: number): void {
  for (let time = 0; time < times; time++) limiter.recordMiss(lookup);
}

describe('lookups of unknown keys from one network', () => {
  it('wait once a burst has missed, except for known keys and accounts', () => {
    const { limiter, clock } = make();
    limiter.markKnown('known', 'abc123');
    missTimes(limiter, unknown('a'), BURST);
    expect(limiter.waitMs(unknown('a'))).toBe(1_000);
    expect(limiter.waitMs({ ...unknown('a'), sha256: 'known' })).toBe(0);
    expect(limiter.waitMs(unknown('a', 'abc123'))).toBe(0);
    expect(limiter.waitMs(unknown('b'))).toBe(0);
    clock.ms += 1_000;
    expect(limiter.waitMs(unknown('a'))).toBe(0);
  });

  it('that name a known account wait on their own, for that network', () => {
    const { limiter } = make();
    limiter.markKnown('known', 'abc123');
    limiter.markKnown('another', 'def456');
    missTimes(limiter, unknown('a', 'abc123'), BURST);
    expect(limiter.waitMs(unknown('a', 'abc123'))).toBe(1_000);
    expect(limiter.waitMs(unknown('a', 'def456'))).toBe(0);
    expect(limiter.waitMs(unknown('b', 'abc123'))).toBe(0);
    expect(limiter.waitMs(unknown('a'))).toBe(0);
  });

  it('that were concurrent delay as many later ones, up to the burst', () => {
    const { limiter, clock } = make();
    missTimes(limiter, unknown('a'), 1_000);
    expect(limiter.waitMs(unknown('a'))).toBe(21_000);
    clock.ms += 21_000;
    expect(limiter.waitMs(unknown('a'))).toBe(0);
  });

  it('count no misses of a known key, such as one that has expired since', () => {
    const { limiter } = make();
    limiter.markKnown('known', 'abc123');
    missTimes(limiter, { ...unknown('a', 'abc123'), sha256: 'known' }, 100);
    expect(limiter.waitMs(unknown('a', 'abc123'))).toBe(0);
  });

  it('never wait when the limit is switched off', () => {
    const { limiter } = make(0);
    missTimes(limiter, unknown('a'), 100);
    expect(limiter.waitMs(unknown('a'))).toBe(0);
  });

  it('are counted for the latest 10,000 networks', () => {
    const { limiter } = make();
    for (let index = 0; index <= 10_000; index++) missTimes(limiter, unknown(`n${index}`), BURST);
    expect(limiter.waitMs(unknown('n0'))).toBe(0);
    expect(limiter.waitMs(unknown('n1'))).toBe(1_000);
    expect(limiter.waitMs(unknown('n10000'))).toBe(1_000);
  });
});

describe('known keys and accounts', () => {
  it('are the latest 100,000', () => {
    const { limiter } = make();
    for (let index = 0; index <= 100_000; index++) limiter.markKnown(`key${index}`, `tag${index}`);
    expect([limiter.isKnown('key0'), limiter.isKnown('key1'), limiter.isKnown('key100000')]).toEqual([
      false,
      true,
      true,
    ]);
    missTimes(limiter, unknown('a'), BURST);
    const waits = ['tag0', 'tag1', 'tag100000'].map((tag) => limiter.waitMs(unknown('a', tag)));
    expect(waits).toEqual([1_000, 0, 0]);
  });

  it('are keys of a day', () => {
    const { limiter, clock } = make();
    limiter.markKnown('key', 'tag');
    clock.ms += 86_400_000;
    expect(limiter.isKnown('key')).toBe(true);
    clock.ms += 1;
    expect(limiter.isKnown('key')).toBe(false);
  });
});

describe('calls of auth for unknown keys', () => {
  it('that miss never exceed the limit, however they come', () => {
    const gaps = fc.array(fc.nat({ max: 3_000 }), { minLength: 1, maxLength: 300 });
    const limits = fc.record({ burst: fc.integer({ min: 1, max: 20 }), perSecond: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(gaps, limits, (waits, authMisses) => {
        let nowMs = 0;
        const limiter = new UnknownKeyLimiter({ burst: BURST, authMisses, maxKnown: 1, now: () => nowMs });
        let calls = 0;
        for (const wait of waits) {
          nowMs += wait;
          if (limiter.takeAuthCall()) calls += 1;
        }
        expect(calls).toBeLessThanOrEqual(authMisses.burst + (nowMs / 1_000) * authMisses.perSecond + 1e-6);
      }),
    );
  });

  it('cost nothing when they find a key', () => {
    const limiter = new UnknownKeyLimiter({ burst: BURST, authMisses: { burst: 1, perSecond: 0.001 }, now: () => 1 });
    for (let index = 0; index < 100; index += 1) {
      expect(limiter.takeAuthCall()).toBe(true);
      limiter.returnAuthCall();
    }
    expect([limiter.takeAuthCall(), limiter.takeAuthCall()]).toEqual([true, false]);
  });

  it('never return more than the burst', () => {
    const limiter = new UnknownKeyLimiter({ burst: BURST, authMisses: { burst: 2, perSecond: 0.001 }, now: () => 1 });
    for (let count = 0; count < 10; count += 1) limiter.returnAuthCall();
    expect(Array.from({ length: 3 }, () => limiter.takeAuthCall())).toEqual([true, true, false]);
  });
});
