import { EventEmitter } from 'node:events';
import { INVALID_SPAN_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { MAX_REPORTED_USAGE_LENGTH } from '@tollgate/common/charge-bounds';
import { FAILURE_CAUSES } from '@tollgate/common/failure-causes';
import { BUCKET_NAMES, usageOf } from '@tollgate/protocols/canonical/usage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptForTests, exchangeForTests } from '../../testing/exchange-fixture.ts';
import { attemptRecords, recordText, reportedUsageText, setResponseAttributes } from './records.ts';
import { responseTooLarge, STOPPING, type UpstreamFailure } from './upstream/failure.ts';

/** What a provider says, or a client asked, which no record may contain. */
const WORDS = 'the prompt was: hello';
const detail = WORDS;

const OVERFLOW = { promptTokens: undefined, outputTokens: undefined, contextTokens: undefined };
const FAILURES: UpstreamFailure[] = [
  { kind: 'timeout', detail },
  { kind: 'unreachable', detail },
  { kind: 'reset', detail },
  { kind: 'server_error', status: 500, detail },
  { kind: 'rate_limited', status: 429, retryAfterMs: 1, detail },
  { kind: 'credential_refused', status: 401, detail },
  { kind: 'no_credential', detail },
  { kind: 'model_unknown', status: 404, detail },
  { kind: 'malformed', detail },
  { kind: 'request_refused', status: 400, message: WORDS },
  { kind: 'context_exceeded', status: 400, overflow: OVERFLOW, detail },
  { kind: 'response_too_large', message: WORDS },
  responseTooLarge('process_full'),
  STOPPING,
];

const exchange = exchangeForTests({ hold: undefined as never, res: new EventEmitter() as never });
const attempt = attemptForTests(exchange);

describe('the attempts of a charge', () => {
  it('have a cause of the closed list for every failure, and none of its words', () => {
    const records = FAILURES.flatMap((failure) => attemptRecords(exchange, attempt, failure));
    expect(new Set(records.map(({ cause }) => cause))).toEqual(new Set(FAILURE_CAUSES));
    expect(JSON.stringify(records)).not.toContain(WORDS);
  });

  it('are none where the first one succeeded, so that its charge is no larger', () => {
    expect(attemptRecords(exchange, attempt, undefined)).toEqual([]);
  });

  it('include the one that succeeded after others', () => {
    const earlier = attemptRecords(exchange, attempt, { kind: 'reset', detail });
    const records = attemptRecords(exchange, { ...attempt, earlier, providerStatus: 200 }, undefined);
    expect(records.map(({ cause, providerStatus }) => [cause, providerStatus])).toEqual([
      ['reset', 0],
      ['', 200],
    ]);
  });
});

const unredacted = (text: string) => text;

describe('recordText', () => {
  it.each([
    ['tool_calls', 'tool_calls'],
    ['', ''],
    ['MAX\0_TOKENS\r\n', 'MAX_TOKENS'],
    ['a\ud800b', 'a\ufffdb'],
    ['x'.repeat(1_000), 'x'.repeat(100)],
    [`${'x'.repeat(99)}😀`, `${'x'.repeat(99)}\ufffd`],
    ['\0'.repeat(1_000_000), ''],
  ])('%j is kept as %j', (word, kept) => {
    expect(recordText(word, unredacted)).toBe(kept);
  });

  it('is redacted, also where it is cut', () => {
    const redact = (text: string) => text.replace('a-credential', '***');
    expect(recordText(`${'x'.repeat(95)}a-credential`, redact)).toBe(`${'x'.repeat(95)}***`);
  });
});

describe('reportedUsageText', () => {
  it.each([
    [{ input: 9, output: 1e308 }, '{"input":9,"output":1e+308}'],
    [{ input: -9, output: 0.5 }, '{"input":-9,"output":0.5}'],
    [{ input: Number.POSITIVE_INFINITY, output: 3 }, '{"input":"Infinity","output":3}'],
    [{ input: '9', output: true }, '{"input":"9","output":true}'],
    [{ input: { tokens: 9 }, output: [3] }, '{"input":"object","output":"array"}'],
    [{ input: 'a\0\n"b"', search: '\ud800' }, '{"input":"a\\"b\\"","search":"\ufffd"}'],
    [{ input: 'x'.repeat(1_000_000) }, `{"input":"${'x'.repeat(16)}"}`],
    [{}, '{}'],
  ])('%j is kept as %s', (figures, kept) => {
    expect(reportedUsageText(figures, unredacted)).toBe(kept);
  });

  it('redacts credentials, also those that look like numbers', () => {
    const redact = (text: string) => text.replaceAll(/a-credential|12345678/g, '[redacted]');
    const figures = { input: 12_345_678, output: 'key a-credential', search: 'xa-credentiala-credential' };
    expect(reportedUsageText(figures, redact)).toBe(
      '{"input":"[redacted]","output":"key [redacted]","search":"x[redacted][reda"}',
    );
  });

  it('is as short as the ledger requires, whatever is reported for each bucket', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    const figure = fc.oneof(
      fc.jsonValue(),
      text,
      fc.double(),
      fc.constantFrom('"'.repeat(60), '\\'.repeat(60), '\u2028'),
    );
    const figures = fc.record(Object.fromEntries(BUCKET_NAMES.map((name) => [name, figure])));
    const redact = (read: string) => read.replaceAll('a', '[redacted]');
    fc.assert(
      fc.property(figures, fc.constantFrom(unredacted, redact), (reported, taken) => {
        const kept = reportedUsageText(reported, taken);
        expect(kept.length).toBeLessThanOrEqual(MAX_REPORTED_USAGE_LENGTH);
        expect(kept).not.toMatch(/\p{Cc}/u);
        expect(kept.isWellFormed()).toBe(true);
        expect(Object.keys(JSON.parse(kept))).toEqual(Object.keys(reported));
      }),
    );
  });
});

it('contain implausible figures, short and redacted', () => {
  const { span, attributes } = recordingSpan();
  const redact = (text: string) => text.replaceAll('a-credential', '***');
  const implausible = { input: 9, output: 1e308, reasoning: 'a-credential', search: { deep: 'x'.repeat(1_000) } };
  const attempt = { span, redact };
  setResponseAttributes(
    attempt,
    {
      usage: usageOf({ input: 9, output: 3 }),
      priced: { lines: [], costNanos: 0n, baseCostNanos: undefined, version: 'v', unpriced: [] },
      estimated: true,
      implausible,
    },
    'a-credential',
  );
  expect(attributes).toEqual({
    'gen_ai.response.finish_reasons': ['***'],
    'gen_ai.usage.input_tokens': 9,
    'gen_ai.usage.output_tokens': 3,
    'tollgate.usage_estimated': true,
    'tollgate.usage_disbelieved': '{"input":9,"output":1e+308,"reasoning":"***","search":"object"}',
  });
});

/** A span that records its attributes. */
function recordingSpan(): { span: Span; attributes: Record<string, unknown> } {
  const attributes: Record<string, unknown> = {};
  const span = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
  span.isRecording = () => true;
  span.setAttribute = (key, value) => {
    attributes[key] = value;
    return span;
  };
  span.setAttributes = (more) => {
    Object.assign(attributes, more);
    return span;
  };
  return { span, attributes };
}
