import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Strangers } from './strangers.ts';

describe('Strangers', () => {
  it('are asked about in vain no oftener than the limits say, however they come', () => {
    const gaps = fc.array(fc.nat({ max: 3_000 }), { minLength: 1, maxLength: 300 });
    const limits = fc.record({ burst: fc.integer({ min: 1, max: 20 }), perSecond: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(gaps, limits, (waits, { burst, perSecond }) => {
        const strangers = new Strangers({ burst, perSecond });
        let nowMs = 0;
        let asked = 0;
        for (const [index, wait] of waits.entries()) {
          nowMs += wait;
          if (strangers.enter(`made up ${index}`, nowMs) === 'stranger') asked += 1;
        }
        expect(asked).toBeLessThanOrEqual(burst + (nowMs / 1_000) * perSecond + 1e-6);
      }),
    );
  });

  it('cost nothing when they turn out to be keys, and are known from then on', () => {
    const strangers = new Strangers({ burst: 1, perSecond: 0.001 });
    for (let index = 0; index < 100; index += 1) {
      expect(strangers.enter(`key ${index}`, index)).toBe('stranger');
      strangers.giveBack();
      strangers.welcome(`key ${index}`, index);
    }
    expect(strangers.enter('made up', 100)).toBe('stranger');
    expect(strangers.enter('another', 101)).toBe('too_many');
    expect(strangers.enter('key 7', 102)).toBe('known');
  });

  it('never give back more than there was', () => {
    const strangers = new Strangers({ burst: 2, perSecond: 0.001 });
    for (let count = 0; count < 10; count += 1) strangers.giveBack();
    const visits = ['a', 'b', 'c'].map((name) => strangers.enter(name, 0));
    expect(visits).toEqual(['stranger', 'stranger', 'too_many']);
  });
});
