import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, monthStart, type Situation } from './decide.ts';

const CENT = 10_000_000n;
const DOLLAR = 100n * CENT;
const NOW = Date.UTC(2026, 11, 15, 12);
const MONTH_END = Date.UTC(2027, 0, 1);

const SITUATION: Situation = {
  nowMs: NOW,
  rule: {
    thresholdNanos: 5n * DOLLAR,
    targetNanos: 25n * DOLLAR,
    monthlyMaxNanos: 100n * DOLLAR,
    methodId: 'pm',
    method: 'visa 4242',
  },
  pause: undefined,
  isCharging: false,
  balanceNanos: 4n * DOLLAR,
  owedNanos: 0n,
  hasOpenDispute: false,
  monthNanos: 0n,
  dailyLeftNanos: 500n * DOLLAR,
  bounds: { minNanos: 5n * DOLLAR, maxNanos: 5_000n * DOLLAR },
};

const of = (changes: Partial<Situation>) => decide({ ...SITUATION, ...changes });
const charge = (dollars: bigint) => ({ do: 'charge', amountNanos: dollars * DOLLAR });

describe('what to do for an account', () => {
  it.each<[string, Partial<Situation>, object]>([
    ['at the threshold', { balanceNanos: 5n * DOLLAR }, charge(20n)],
    ['below it', {}, charge(21n)],
    ['with nothing', { balanceNanos: 0n }, charge(25n)],
    ['above it by the least amount', { balanceNanos: 5n * DOLLAR + 1n }, { do: 'nothing' }],
    ['with a part of a cent', { balanceNanos: 1n }, charge(25n)],
    ['while a charge is under way', { isCharging: true }, { do: 'nothing' }],
    ['while it owes', { owedNanos: 1n }, { do: 'nothing' }],
    ['while it is paused', { pause: { untilMs: undefined } }, { do: 'nothing' }],
    ['until a pause ends', { pause: { untilMs: NOW + 1 } }, { do: 'nothing' }],
    ['once a pause has ended', { pause: { untilMs: NOW } }, charge(21n)],
    ['with an open dispute', { hasOpenDispute: true }, { do: 'pause', reason: 'dispute', untilMs: undefined }],
    ['near the monthly maximum', { monthNanos: 90n * DOLLAR }, charge(10n)],
    ['at it', { monthNanos: 95n * DOLLAR + 1n }, { do: 'pause', reason: 'monthly_max', untilMs: MONTH_END }],
    ['near the limit of a day', { dailyLeftNanos: 7n * DOLLAR + 1n }, charge(7n)],
    ['at it', { dailyLeftNanos: 0n }, { do: 'pause', reason: 'daily_limit', untilMs: NOW + 3_600_000 }],
  ])('%s', (_, changes, decision) => {
    expect(of(changes)).toEqual(decision);
  });

  it('charges whole cents within every bound, and only below the threshold', () => {
    const nanos = (max: bigint) => fc.bigInt({ min: 0n, max });
    const situations = fc
      .record({
        threshold: nanos(50n * DOLLAR),
        step: nanos(200n * DOLLAR),
        max: nanos(2_000n * DOLLAR),
        month: nanos(200n * DOLLAR),
        daily: nanos(500n * DOLLAR),
        balance: nanos(40n * DOLLAR),
        owed: fc.constantFrom(0n, 0n, 1n),
        isCharging: fc.constantFrom(false, false, true),
        hasOpenDispute: fc.constantFrom(false, false, true),
        min: fc.bigInt({ min: 1n, max: 2_000n }),
        more: nanos(100_000n),
        nowMs: fc.integer({ min: NOW, max: NOW + 90 * 86_400_000 }),
        pause: fc.option(fc.integer({ min: -1_000, max: 1_000 }), { nil: undefined }),
      })
      .map(
        (it): Situation => ({
          ...it,
          rule: {
            ...SITUATION.rule,
            thresholdNanos: it.threshold,
            targetNanos: it.threshold + it.step,
            monthlyMaxNanos: it.max,
          },
          pause: it.pause === undefined ? undefined : { untilMs: it.nowMs + it.pause },
          balanceNanos: it.balance,
          owedNanos: it.owed,
          monthNanos: it.month,
          dailyLeftNanos: it.daily,
          bounds: { minNanos: it.min * CENT, maxNanos: (it.min + it.more) * CENT },
        }),
      );
    let charged = 0;
    fc.assert(
      fc.property(situations, (situation) => {
        const { rule, bounds, nowMs } = situation;
        const decision = decide(situation);
        const mayPause = situation.pause !== undefined && (situation.pause.untilMs ?? 0) > nowMs;
        if (situation.isCharging || mayPause || situation.balanceNanos > rule.thresholdNanos) {
          expect(decision).toEqual({ do: 'nothing' });
        }
        if (decision.do === 'pause' && decision.untilMs !== undefined) {
          expect(decision.untilMs).toBeGreaterThan(nowMs);
          if (decision.reason === 'monthly_max') expect(monthStart(decision.untilMs)).toBe(decision.untilMs);
        }
        if (decision.do !== 'charge') return;
        charged += 1;
        const { amountNanos } = decision;
        expect(situation.hasOpenDispute || situation.owedNanos > 0n).toBe(false);
        expect(amountNanos % CENT).toBe(0n);
        expect(amountNanos >= bounds.minNanos && amountNanos <= bounds.maxNanos).toBe(true);
        expect(situation.monthNanos + amountNanos <= rule.monthlyMaxNanos).toBe(true);
        expect(amountNanos <= situation.dailyLeftNanos).toBe(true);
        const missing = rule.targetNanos - situation.balanceNanos;
        expect(amountNanos < missing + CENT || amountNanos === bounds.minNanos).toBe(true);
      }),
      { seed: 44, numRuns: 2_000 },
    );
    expect(charged).toBeGreaterThan(50);
  });
});
