import { expect, it } from 'vitest';
import { NO_USAGE } from './arithmetic.ts';
import { priceOf } from './catalogue.ts';
import { type Booked, judgeCharge } from './judge-charge.ts';
import type { Delivery, Outcome } from './judge-response.ts';
import type { Report } from './upstream/response.ts';

const MODEL = 's0-openai-chat';
const RATES = priceOf(MODEL);
const REPORTED: Report = { kind: 'reported', usage: { ...NO_USAGE, input: 20, output: 10 } };
const NONE: Report = { kind: 'none' };

function outcome(report: Report, fields: Partial<Outcome> = {}): Outcome {
  const wire = { method: 'POST', path: '/v1/chat/completions', headers: [], body: Buffer.from('{}') };
  const response = { mode: 'usage' as const, status: 200, headers: {}, pieces: [], pauseMs: 0, ending: 'end' as const };
  const call = { protocol: 'openai-chat' as const, traceId: '', isCount: false, bodyBytes: 200, limit: 100 };
  return {
    number: 1,
    request: { kind: 'generate', protocol: 'openai-chat', model: MODEL, streamed: false, wire, mutations: [] },
    received: { status: 200, headers: {}, text: '{}', ending: 'end' },
    reached: [{ ...call, response: { ...response, isWhole: true, report, textBytes: 50 } }],
    ...fields,
  };
}

/** A charge of these tokens, correct unless fields override it. */
function booked(input: bigint, output: bigint, fields: Partial<Booked> = {}): Booked {
  const line = (bucket: string, quantity: bigint, rate: bigint): [string, string, string, string] => [
    bucket,
    String(quantity),
    String(rate),
    String((quantity * rate) / 1_000_000n),
  ];
  const lines = [line('input', input, RATES.input), line('output', output, RATES.output)];
  const cost = lines.reduce((sum, [, , , amount]) => sum + BigInt(amount), 0n);
  return {
    requestId: 'r',
    accountId: 'a',
    model: MODEL,
    status: 'completed',
    streamed: false,
    estimated: false,
    holdNanos: 10n * cost,
    costNanos: cost,
    chargedNanos: cost,
    lines: lines.filter(([, quantity]) => quantity !== '0'),
    ...fields,
  };
}

const GOOD = booked(20n, 10n);
const judge = (one: Outcome, charges: readonly Booked[], delivery: Delivery = 'complete') =>
  judgeCharge(one, delivery, charges, 'a').join('; ');

it.each<[string, string]>([
  ['the charge of what was reported', judge(outcome(REPORTED), [GOOD])],
  ['an estimate where nothing was reported', judge(outcome(NONE), [booked(30n, 12n, { estimated: true })])],
  ['no charge for a rejection', judge(outcome(NONE), [], 'rejected')],
  ['no charge for a client that disconnected', judge(outcome(REPORTED), [], 'disconnected')],
  ['the hold if the cost exceeds it', judge(outcome(REPORTED), [{ ...GOOD, holdNanos: 5n, chargedNanos: 5n }])],
])('accepts %s', (_, findings) => {
  expect(findings).toBe('');
});

const named = { status: 200, headers: { 'x-request-cost': '0.5' }, text: '{}', ending: 'end' as const };

it.each<[string, string, RegExp]>([
  ['a lost charge', judge(outcome(REPORTED), []), /not charged/],
  ['a lost charge of a stream that broke off', judge(outcome(REPORTED), [], 'broken'), /not charged/],
  ['two charges', judge(outcome(REPORTED), [GOOD, GOOD]), /charged twice/],
  ['another account', judge(outcome(REPORTED), [{ ...GOOD, accountId: 'b' }]), /another account/],
  ['other tokens', judge(outcome(REPORTED), [booked(21n, 10n)]), /billed 21 input \+ 10 output, reported 20/],
  [
    'an estimate in place of a report',
    judge(outcome(REPORTED), [{ ...GOOD, estimated: true }]),
    /estimated .*, reported/,
  ],
  ['a guess that is not called one', judge(outcome(NONE), [GOOD]), /not estimated/],
  ['an estimate of nothing', judge(outcome(NONE), [booked(20n, 0n, { estimated: true })]), /estimated no output/],
  [
    'an estimate beyond the text',
    judge(outcome(NONE), [booked(20n, 51n, { estimated: true })]),
    /51 tokens of 50 bytes/,
  ],
  [
    'an implausible report that is accepted',
    judge(outcome({ kind: 'reported', usage: { ...NO_USAGE, input: 1e12 } }), [GOOD]),
    /not estimated/,
  ],
  [
    'another input than was reported',
    judge(outcome({ kind: 'input', usage: { ...NO_USAGE, input: 7 } }), [booked(8n, 9n, { estimated: true })]),
    /reported 7/,
  ],
  [
    'a wrong amount',
    judge(outcome(REPORTED), [{ ...GOOD, lines: GOOD.lines.map(([a, b, c]) => [a, b, c, '1']) }]),
    /instead of/,
  ],
  ['a wrong sum', judge(outcome(REPORTED), [{ ...GOOD, costNanos: 1n, chargedNanos: 1n }]), /the lines' sum/],
  ['more than the hold', judge(outcome(REPORTED), [{ ...GOOD, holdNanos: 5n }]), /with a hold of 5/],
  ['less than is due', judge(outcome(REPORTED), [{ ...GOOD, chargedNanos: 5n }]), /charged 5/],
  ['another cost in the response', judge(outcome(REPORTED, { received: named }), [GOOD]), /names a cost of 0\.5/],
  ['a price for a rejection', judge(outcome(NONE), [GOOD], 'rejected'), /rejected and charged/],
  [
    'a complete response recorded as failed',
    judge(outcome(REPORTED), [{ ...GOOD, status: 'failed' }]),
    /recorded as failed/,
  ],
  ['a broken response recorded as completed', judge(outcome(REPORTED), [GOOD], 'broken'), /recorded as completed/],
])('finds %s', (_, findings, expected) => {
  expect(findings).toMatch(expected);
});
