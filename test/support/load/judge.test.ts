import { describe, expect, it } from 'vitest';
import { type Booked, judge } from './judge.ts';
import { costOf } from './prices.ts';
import type { Sent } from './sent.ts';

const COUNTED = { input: 40, cached: 4, output: 12 };
const COST = costOf('small', COUNTED);

function sent(fields: Partial<Sent> = {}): Sent {
  return {
    accountId: 'an account',
    ingress: 'ingress',
    protocol: 'openai-chat',
    streamed: true,
    client: 'http',
    model: 'small',
    startedAt: 1_000,
    endedAt: 2_000,
    outcome: 'completed',
    status: 200,
    requestId: 'a request',
    said: undefined,
    counted: COUNTED,
    requested: COUNTED.output,
    reported: COST,
    max: 2n * COST,
    complaint: undefined,
    ...fields,
  };
}

function booked(fields: Partial<Booked> = {}): Booked {
  return {
    accountId: 'an account',
    requestId: 'a request',
    chargedNanos: COST,
    costNanos: COST,
    holdNanos: 2n * COST,
    usage: { input: 36, cache_read: 4, output: 12 },
    ...fields,
  };
}

/** An ingress that was killed at a time, or never. */
const dying = (at: number) => (_name: string, from: number, to: number) => !(at >= from && at <= to);
const never = dying(Number.NaN);

function findings(one: Sent, charges: Booked[], lived = never): string {
  return judge({ sent: [one], booked: charges, lived }).join('; ');
}

describe('judge', () => {
  it('finds nothing if a response has one charge', () => {
    expect(findings(sent(), [booked()])).toBe('');
  });

  it.each<[string, Partial<Sent>, Booked[], RegExp]>([
    ['a lost charge', {}, [], /it was received completely, without a charge/],
    ['two charges', {}, [booked(), booked()], /charged twice/],
    [
      'a charge under an id that no client received',
      {},
      [booked(), booked({ requestId: 'another' })],
      /no client sent it/,
    ],
    ['another amount', {}, [booked({ chargedNanos: COST - 1n })], /charged \d+ instead of \d+/],
    ['another reported amount', { reported: COST + 1n }, [booked()], /reported a cost of/],
    ['no reported amount', { reported: undefined }, [booked()], /reported a cost of undefined/],
    ['other tokens', {}, [booked({ usage: { input: 40, output: 12 } })], /billed 40 \+ 0 \+ 12 tokens/],
    ['less than was asked for', { requested: 13 }, [booked()], /12 of 13 tokens arrived/],
    ['another account', {}, [booked({ accountId: 'another' })], /charged to another account/],
    ['more than the hold', {}, [booked({ holdNanos: COST - 1n })], /beyond its hold/],
    ['a charge for a rejection', { outcome: 'rejected', status: 503 }, [booked()], /was rejected, and charged/],
    ['too much for a break', { outcome: 'broken', max: COST - 1n }, [booked()], /more than the maximum/],
    ['tokens for nothing', { outcome: 'disconnected' }, [], /12 tokens were delivered by an ingress that kept running/],
    [
      'a break without a reason',
      { outcome: 'broken', requestId: undefined },
      [],
      /broken, although ingress kept running/,
    ],
    ['a complaint of the client', { complaint: 'status 500' }, [booked()], /status 500/],
  ])('finds %s', (_what, fields, charges, finding) => {
    expect(findings(sent(fields), charges)).toMatch(finding);
  });

  it.each<[string, Partial<Sent>, Booked[]]>([
    [
      'a response cut short by the balance',
      { protocol: 'anthropic-messages', counted: COUNTED, requested: 50, reported: COST },
      [booked()],
    ],
    ['no charge of a rejection', { outcome: 'rejected', status: 503 }, []],
    ['a record of a rejection at no cost', { outcome: 'rejected', status: 503 }, [booked({ chargedNanos: 0n })]],
    [
      'a client that disconnected before any response',
      { outcome: 'disconnected', counted: { ...COUNTED, output: 0 } },
      [],
    ],
    [
      'a charge of a client that disconnected before the response head',
      { outcome: 'disconnected', requestId: undefined },
      [booked()],
    ],
  ])('accepts %s', (_what, fields, charges) => {
    expect(findings(sent({ counted: { ...COUNTED, output: 0 }, ...fields }), charges)).toBe('');
  });

  it('accepts only the losses of a killed ingress', () => {
    const left = sent({ outcome: 'disconnected' });
    expect(findings(left, [], dying(2_500))).toBe('');
    expect(findings(left, [], dying(9_000))).toMatch(/without a charge/);
    expect(findings(sent({ outcome: 'broken' }), [], dying(1_500))).toBe('');
    expect(findings(sent(), [], dying(2_001))).toMatch(/without a charge/);
  });
});
