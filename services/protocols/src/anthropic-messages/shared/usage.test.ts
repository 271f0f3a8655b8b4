import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usage } from '../../../testing/canonical/arbitrary.ts';
import { BUCKET_NAMES, inputTokensOf, usageOf } from '../../canonical/usage.ts';
import { encodeDeltaUsage, encodeUsage, readReport, readUsage, unreadableUsage } from './usage.ts';

describe('readUsage', () => {
  test.each([
    [{ input_tokens: 3, output_tokens: 2 }, usageOf({ input: 3, output: 2 })],
    [
      {
        input_tokens: 3,
        output_tokens: 9,
        cache_read_input_tokens: 4,
        cache_creation_input_tokens: 6,
        cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 5 },
        output_tokens_details: { thinking_tokens: 7 },
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
      },
      usageOf({ input: 3, cache_read: 4, cache_write_5m: 1, cache_write_1h: 5, output: 2, reasoning: 7, search: 2 }),
    ],
    [
      { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 8, cache_creation: null },
      usageOf({ input: 1, output: 1, cache_write_5m: 8 }),
    ],
    [
      { input_tokens: 1, output_tokens: 2, output_tokens_details: { thinking_tokens: 5 } },
      usageOf({ input: 1, reasoning: 2 }),
    ],
    [{ input_tokens: 1 }, undefined],
    [{ input_tokens: -1, output_tokens: 1 }, undefined],
    [{ input_tokens: 1, output_tokens: 1.5 }, undefined],
    [{ input_tokens: 1, output_tokens: 1, cache_read_input_tokens: -4 }, undefined],
    [{ input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 1e308 }, undefined],
    [{ input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: 2 ** 60 } }, undefined],
    [null, undefined],
  ])('%j', (value, expected) => {
    expect(readUsage(value)).toEqual(expected);
  });
});

test('reports invalid figures unchanged, with the others', () => {
  expect(unreadableUsage({ input_tokens: 4, output_tokens: 1e308 })).toEqual({ input: 4, output: 1e308 });
  expect(unreadableUsage({ input_tokens: 'x', output_tokens: null })).toEqual({ input: 'x' });
  for (const none of [undefined, null, {}, { input_tokens: 4 }, { input_tokens: 4, output_tokens: 0 }]) {
    expect(unreadableUsage(none)).toBeUndefined();
  }
});

test('encoded usage decodes to the same, with the cost', () => {
  fc.assert(
    fc.property(usage(), fc.nat({ max: 9 }), (tokens, search) => {
      const given = { ...tokens, search };
      for (const json of [encodeUsage(given, '0.000012'), encodeDeltaUsage(given, '0.000012')]) {
        const value = JSON.parse(json);
        expect(value.cost).toBe(0.000012);
        expect(readUsage(value)).toEqual({
          ...given,
          cache_write_5m: given.cache_write_5m + given.cache_write_30m,
          cache_write_30m: 0,
          cache_write_1h: given.cache_write_1h + given.cache_write_12h,
          cache_write_12h: 0,
        });
      }
    }),
  );
});

describe('iterations', () => {
  const compaction = { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 };
  const message = { type: 'message', input_tokens: 23_000, output_tokens: 1_000, cache_read_input_tokens: 500 };
  const totals = { input_tokens: 23_000, output_tokens: 1_000, cache_read_input_tokens: 500 };

  test('are added up, since the totals are without compaction', () => {
    expect(readReport({ ...totals, iterations: [compaction, message] }, undefined)).toEqual({
      usage: usageOf({ input: 203_000, cache_read: 500, output: 4_500 }),
      unreadable: undefined,
      details: {
        calls: [usageOf({ input: 180_000, output: 3_500 }), usageOf({ input: 23_000, cache_read: 500, output: 1_000 })],
      },
    });
  });

  test('are without details, which are then those of the totals', () => {
    const split = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 6 };
    const one = { input_tokens: 30, output_tokens: 121, cache_creation_input_tokens: 6 };
    const details = { cache_creation: split, output_tokens_details: { thinking_tokens: 28 } };
    const once = usageOf({ input: 30, cache_write_1h: 6, output: 93, reasoning: 28 });
    expect(readReport({ ...one, ...details, iterations: [one] }, undefined)).toEqual({
      usage: once,
      unreadable: undefined,
      details: undefined,
    });
    const compacted = { input_tokens: 50, output_tokens: 22 };
    expect(readReport({ ...one, ...details, iterations: [compacted, one] }, undefined)).toEqual({
      usage: usageOf({ input: 80, cache_write_1h: 6, output: 115, reasoning: 28 }),
      unreadable: undefined,
      details: { calls: [usageOf({ input: 50, reasoning: 22 }), { ...once, output: 115, reasoning: 6 }] },
    });
  });

  test('that are fewer than the totals, or unreadable, leave the totals', () => {
    const expected = usageOf({ input: 23_000, cache_read: 500, output: 1_000 });
    const partial = { type: 'message', input_tokens: 20, output_tokens: 10 };
    for (const iterations of [[], [partial], [partial, {}], 'x', null]) {
      expect(readUsage({ ...totals, iterations })).toEqual(expected);
    }
  });
});

/** The part of a count that a detail names; undefined where the provider does not say. */
const partOf = (whole: number) => fc.option(fc.nat({ max: whole }), { nil: undefined });

/** A `usage` object with some of its details, none of them more than the count that contains it. */
const reports = fc
  .record({ input: fc.nat(99), read: fc.nat(99), written: fc.nat(99), output: fc.nat(99) })
  .chain(({ input, read, written, output }) =>
    fc.record({ thinking: partOf(output), long: partOf(written) }).map(({ thinking, long }) => ({
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: output,
      ...(long !== undefined && {
        cache_creation: { ephemeral_5m_input_tokens: written - long, ephemeral_1h_input_tokens: long },
      }),
      ...(thinking !== undefined && { output_tokens_details: { thinking_tokens: thinking } }),
    })),
  );

type Reported = typeof reports extends fc.Arbitrary<infer T> ? T : never;

const inputOf = (report: Reported) =>
  report.input_tokens + report.cache_read_input_tokens + report.cache_creation_input_tokens;
const outputOf = (report: Reported) => report.output_tokens;
const sum = <T>(values: readonly T[], of: (value: T) => number) =>
  values.reduce((total, value) => total + of(value), 0);

test('each reported token is billed once, whatever is detailed in totals and iterations', () => {
  const iterations = fc.array(reports, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(reports, fc.option(iterations, { nil: undefined }), (totals, turns = []) => {
      const { usage, details } = readReport({ ...totals, iterations: turns }, undefined);
      if (usage === undefined) throw new Error('the totals are there');
      const input = Math.max(inputOf(totals), sum(turns, inputOf));
      const output = Math.max(outputOf(totals), sum(turns, outputOf));
      expect(inputTokensOf(usage)).toBe(input);
      expect(usage.output + usage.reasoning).toBe(output);
      const { calls } = details ?? {};
      expect(calls?.length).toBe(turns.length > 1 ? turns.length : undefined);
      // The price of each call depends on its own prompt.
      expect(calls?.map(inputTokensOf)).toEqual(calls && turns.map(inputOf));
      if (calls === undefined || input > sum(turns, inputOf) || output > sum(turns, outputOf)) return;
      for (const name of BUCKET_NAMES) expect(sum(calls, (call) => call[name])).toBe(usage[name]);
    }),
    { numRuns: 1_000 },
  );
});

test('keeps what else is known of a call', () => {
  const usage = { input_tokens: 1, output_tokens: 1, service_tier: 'priority', inference_geo: 'us', speed: 'fast' };
  expect(readReport(usage, 7n).details).toEqual({
    upstreamCostNanos: 7n,
    serviceTier: 'priority',
    inferenceGeo: 'us',
    speed: 'fast',
  });
});
