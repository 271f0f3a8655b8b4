import { OutcomeKind } from '@tollgate/proto/router';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeploymentHealth } from './deployment-health.ts';
import {
  CONSECUTIVE_FAILURES,
  CONSECUTIVE_REFUSALS,
  FIRST_PAUSE_MS,
  FIRST_REFUSAL_PAUSE_MS,
  MAX_PAUSE_MS,
  MIN_CALLS_FOR_SHARE,
  TRIAL_SUCCESSES,
  WINDOW_MS,
} from './limits.ts';

const START = 1_700_000_000_000;

function repeat(health: DeploymentHealth, kind: OutcomeKind, times: number, now: number): void {
  for (let call = 0; call < times; call += 1) health.record(kind, 10, now);
}

function healthAfter(kind: OutcomeKind, times: number): DeploymentHealth {
  const health = new DeploymentHealth();
  repeat(health, kind, times, START);
  return health;
}

describe('leaving rotation', () => {
  it.each([OutcomeKind.FAILURE, OutcomeKind.TIMEOUT])('takes failures in a row (kind %i)', (kind) => {
    expect(healthAfter(kind, CONSECUTIVE_FAILURES - 1).inRotation).toBe(true);
    expect(healthAfter(kind, CONSECUTIVE_FAILURES)).toMatchObject({
      inRotation: false,
      returnsAtMs: START + FIRST_PAUSE_MS,
    });
  });

  it('takes a share of failures among enough calls, within the window', () => {
    const alternate = (stepMs: number) => {
      const health = new DeploymentHealth();
      for (let call = 0; call < MIN_CALLS_FOR_SHARE; call += 1) {
        health.record(call % 2 === 0 ? OutcomeKind.SUCCESS : OutcomeKind.FAILURE, 10, START + call * stepMs);
      }
      return health;
    };
    expect(alternate(10).inRotation).toBe(false);
    expect(alternate(WINDOW_MS / 4).inRotation).toBe(true);
  });

  it('takes more refusals of the credential, and pauses longer', () => {
    expect(healthAfter(OutcomeKind.CREDENTIAL_REFUSED, CONSECUTIVE_REFUSALS - 1).inRotation).toBe(true);
    expect(healthAfter(OutcomeKind.CREDENTIAL_REFUSED, CONSECUTIVE_REFUSALS)).toMatchObject({
      inRotation: false,
      reason: 'credential_refused',
      returnsAtMs: START + FIRST_REFUSAL_PAUSE_MS,
    });
  });

  it('never comes of rate limits and of what clients do', () => {
    const harmless = fc.constantFrom(
      OutcomeKind.RATE_LIMITED,
      OutcomeKind.NEUTRAL,
      OutcomeKind.UNSPECIFIED,
      OutcomeKind.SUCCESS,
    );
    fc.assert(
      fc.property(fc.array(harmless, { maxLength: 200 }), (kinds) => {
        const health = new DeploymentHealth();
        for (const kind of kinds) health.record(kind, 10, START);
        expect(health.phase).toBe('healthy');
      }),
    );
  });
});

describe('coming back', () => {
  it('is on trial after the pause, and healthy after successes', () => {
    const health = healthAfter(OutcomeKind.FAILURE, CONSECUTIVE_FAILURES);
    health.advance(START + FIRST_PAUSE_MS - 1);
    expect(health.phase).toBe('out');
    health.advance(START + FIRST_PAUSE_MS);
    expect(health.phase).toBe('trial');
    repeat(health, OutcomeKind.SUCCESS, TRIAL_SUCCESSES, START + FIRST_PAUSE_MS + 100);
    expect(health.phase).toBe('healthy');
  });

  it('fails at the first failure, with twice the pause up to the longest', () => {
    const health = healthAfter(OutcomeKind.FAILURE, CONSECUTIVE_FAILURES);
    let now = START;
    let expected = FIRST_PAUSE_MS;
    for (let round = 0; round < 10; round += 1) {
      expect(health.returnsAtMs).toBe(now + expected);
      now += expected;
      health.advance(now);
      now += 100;
      health.record(OutcomeKind.FAILURE, 10, now);
      expected = Math.min(expected * 2, MAX_PAUSE_MS);
    }
    expect(expected).toBe(MAX_PAUSE_MS);
  });

  it('is not judged by calls from before the pause', () => {
    const health = healthAfter(OutcomeKind.FAILURE, CONSECUTIVE_FAILURES);
    const back = START + FIRST_PAUSE_MS;
    health.advance(back);
    health.record(OutcomeKind.FAILURE, FIRST_PAUSE_MS + 500, back + 100);
    expect(health.phase).toBe('trial');
  });
});

describe('whatever happens', () => {
  it('a deployment that is out always comes back, and pauses stay within their bounds', () => {
    const step = fc.record({
      kind: fc.constantFrom(...Object.values(OutcomeKind)),
      waitMs: fc.integer({ min: -1_000, max: 400_000 }),
      durationMs: fc.integer({ min: 0, max: 100_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const health = new DeploymentHealth();
        let now = START;
        for (const { kind, waitMs, durationMs } of steps) {
          now += waitMs;
          health.advance(now);
          health.record(kind, durationMs, now);
          const returns = health.returnsAtMs;
          if (returns !== undefined) {
            expect(health.inRotation).toBe(false);
            expect(returns - now).toBeLessThanOrEqual(MAX_PAUSE_MS + 1_000 * steps.length);
          }
        }
        health.advance(now + MAX_PAUSE_MS + 1_000 * steps.length);
        expect(health.inRotation).toBe(true);
      }),
    );
  });
});
