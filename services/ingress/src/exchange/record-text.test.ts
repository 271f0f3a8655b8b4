import { MAX_REPORTED_USAGE_LENGTH } from '@tollgate/common/charge-bounds';
import { BUCKET_NAMES } from '@tollgate/protocols/canonical/usage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordText, reportedUsageText } from './record-text.ts';

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
