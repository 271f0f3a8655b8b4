import { describe, expect, it } from 'vitest';
import { type Ask, KnownAccount, KnownKey, KnownValue, type Sent, type Tally } from './book.ts';
import { Disturbances } from './disturbances.ts';
import { forbiddenFor, judge } from './judge.ts';

const CHAT: Ask = { kind: 'chat', model: 'small' };

const newValue = () => new KnownValue('sk-test', new KnownKey('key', new KnownAccount('account', 'abcdef')));
/** A request from 100 ms to 110 ms. */
const request = (value: KnownValue, status: number | undefined, type?: string, ask: Ask = CHAT): Sent => ({
  value,
  ask,
  ingress: 'ingress-2',
  beganAt: 100,
  endedAt: 110,
  status,
  error: type === undefined ? undefined : { type, message: 'why' },
});

interface Given {
  sent?: Sent[];
  tallies?: Tally[];
  disturbances?: Disturbances;
}
const promises = ({ sent = [], tallies = [], disturbances = new Disturbances() }: Given) =>
  judge({ sent, tallies, disturbances, graceMs: 50 }).map(({ promise }) => promise);

const disturbed = (what: string, from: number, to: number) => {
  const disturbances = new Disturbances();
  disturbances.all.push({ kind: 'cut', what, from, to });
  return disturbances;
};

describe('a request', () => {
  it('with a valid key is served', () => {
    expect(promises({ sent: [request(newValue(), 200)] })).toEqual([]);
    expect(promises({ sent: [request(newValue(), 401, 'invalid_bearer_token')] })).toEqual(['valid keys are served']);
    expect(promises({ sent: [request(newValue(), 429, 'rate_limit_exceeded')] })).toEqual(['valid keys are served']);
    expect(promises({ sent: [request(newValue(), 400, 'model_not_supported')] })).toEqual(['valid keys are served']);
    expect(promises({ sent: [request(newValue(), 400, 'insufficient_balance')] })).toEqual(['valid keys are served']);
    for (const status of [undefined, 400, 404, 500, 502])
      expect(promises({ sent: [request(newValue(), status)] })).toEqual(['responses are explained']);
    expect(promises({ sent: [request(newValue(), 400, 'none', { kind: 'models' })] })).toEqual([
      'responses are explained',
    ]);
  });

  it.each([
    ['a value of its key is dead', (value: KnownValue) => value.good.begin(false, 90)],
    ['its account is suspended', (value: KnownValue) => value.key.account.active.begin(false, 90)],
  ])('is refused once %s', (_, begin) => {
    const value = newValue();
    const change = begin(value);
    for (const settledAt of [110, 105, Number.POSITIVE_INFINITY]) {
      change.settle(settledAt);
      for (const status of [200, 401]) expect(promises({ sent: [request(value, status)] })).toEqual([]);
    }
    change.settle(99);
    expect(promises({ sent: [request(value, 401)] })).toEqual([]);
    // Other errors of a request are reported only if its key was accepted.
    for (const status of [200, 400, 429, 500])
      expect(promises({ sent: [request(value, status)] })).toEqual(['dead keys stay dead']);
  });

  it('is served again once the suspension is lifted', () => {
    const value = newValue();
    value.key.account.active.begin(false, 10).settle(20);
    value.key.account.active.begin(true, 30).settle(40);
    expect(promises({ sent: [request(value, 401)] })).toEqual(['valid keys are served']);
  });

  it('calls only models allowed to its key', () => {
    const value = newValue();
    value.key.models.begin(['odd'], 10).settle(20);
    expect(promises({ sent: [request(value, 200)] })).toEqual(['dead keys stay dead']);
    expect(promises({ sent: [request(value, 400, 'model_not_supported')] })).toEqual([]);
    expect(promises({ sent: [request(value, 200, undefined, { kind: 'chat', model: 'odd' })] })).toEqual([]);
    expect(promises({ sent: [request(value, 200, undefined, { kind: 'models' })] })).toEqual([]);
    value.key.models.begin([], 30).settle(40);
    expect(promises({ sent: [request(value, 400, 'model_not_supported')] })).toEqual(['valid keys are served']);
  });

  it('is not accepted if its key has nothing left to spend', () => {
    const value = newValue();
    value.key.capped.begin(true, 10).settle(20);
    expect(promises({ sent: [request(value, 200)] })).toEqual(['dead keys stay dead']);
    expect(promises({ sent: [request(value, 400, 'insufficient_balance')] })).toEqual([]);
  });

  it('may return 429 if its key has a limit', () => {
    const value = newValue();
    value.key.limited.begin(true, 10).settle(20);
    expect(promises({ sent: [request(value, 429)] })).toEqual([]);
    expect(promises({ tallies: [{ value, accepted: 7, max: 6 }] })).toEqual(['limits hold']);
    expect(promises({ tallies: [{ value, accepted: 6, max: 6 }] })).toEqual([]);
  });

  it('may return 503 only while a connection of its ingress to auth is disturbed, or shortly afterwards', () => {
    const sent = [request(newValue(), 503)];
    const unavailable = ['available while auth is'];
    expect(promises({ sent })).toEqual(unavailable);
    expect(promises({ sent, disturbances: disturbed('ingress-2>auth', 40, 49) })).toEqual(unavailable);
    expect(promises({ sent, disturbances: disturbed('ingress-2>auth', 111, 200) })).toEqual(unavailable);
    for (const other of ['ingress>auth', 'ingress-2>redis', 'auth>redis', 'redis'])
      expect(promises({ sent, disturbances: disturbed(other, 0, 200) })).toEqual(unavailable);
    for (const of of ['ingress-2>auth', 'ingress-2>auth-2'])
      expect(promises({ sent, disturbances: disturbed(of, 40, 50) })).toEqual([]);
  });
});

describe('an outage', () => {
  it('of an auth, Postgres or the ingress excuses a 503 during it and shortly afterwards', () => {
    const sent = [request(newValue(), 503)];
    for (const down of ['auth', 'auth-2', 'postgres', 'ingress-2'])
      expect(promises({ sent, disturbances: disturbed(down, 40, 50) })).toEqual([]);
    for (const other of ['ingress', 'ingress-3', 'clock of auth', 'redis'])
      expect(promises({ sent, disturbances: disturbed(other, 40, 110) })).toEqual(['available while auth is']);
  });

  it('of the ingress excuses a broken connection', () => {
    const sent = [request(newValue(), undefined)];
    expect(promises({ sent, disturbances: disturbed('ingress-2', 105, 500) })).toEqual([]);
    expect(promises({ sent, disturbances: disturbed('ingress-2', 40, 50) })).toEqual(['responses are explained']);
    expect(promises({ sent, disturbances: disturbed('ingress', 40, 500) })).toEqual(['responses are explained']);
  });
});

describe('a value at the end of its overlap', () => {
  const ending = (endsAt: number) => {
    const value = newValue();
    value.endsAt = endsAt;
    return value;
  };

  it('may be valid or not while a clock is moved, but no longer', () => {
    const moved = disturbed('clock of ingress-2', 200, 300);
    const early = (endsAt: number) => promises({ sent: [request(ending(endsAt), 401)], disturbances: moved });
    expect(early(5_000)).toEqual([]);
    expect(early(60_000)).toEqual(['valid keys are served']);
    expect(promises({ sent: [request(ending(5_000), 401)] })).toEqual(['valid keys are served']);
    expect(promises({ sent: [request(newValue(), 401)], disturbances: moved })).toEqual(['valid keys are served']);
    const late = ending(50);
    late.good.begin(false, 20).settle(90);
    expect(promises({ sent: [request(late, 200)], disturbances: moved })).toEqual([]);
    expect(promises({ sent: [request(late, 200)] })).toEqual(['dead keys stay dead']);
  });
});

describe('the time since a request was forbidden', () => {
  it('counts from the return of the first call whose restriction still applies', () => {
    const value = newValue();
    expect(forbiddenFor(request(value, 200))).toBeUndefined();
    const deletion = value.good.begin(false, 80);
    expect(forbiddenFor(request(value, 200))).toBeUndefined();
    deletion.settle(90);
    expect(forbiddenFor(request(value, 200))).toBe(10);
    value.key.account.active.begin(false, 92).settle(98);
    expect(forbiddenFor(request(value, 200))).toBe(10);
  });
});
