import { expect, it } from 'vitest';
import { usageOf } from '../../canonical/usage.ts';
import { StreamUsage } from './stream-usage.ts';

const NO_DATA = Buffer.alloc(0);
const START = {
  input_tokens: 10,
  output_tokens: 3,
  cache_creation_input_tokens: 5,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 },
};
const INPUT = { input: 10, cache_write_1h: 5 };

function begun(start: unknown): StreamUsage {
  const usage = new StreamUsage();
  usage.start(start, NO_DATA);
  return usage;
}

it('reads only the input from the beginning', () => {
  expect(new StreamUsage().start(START, NO_DATA).usage).toEqual(usageOf(INPUT));
  expect(new StreamUsage().start({ input_tokens: 0, output_tokens: 0 }, NO_DATA).usage).toBeUndefined();
});

it('replaces earlier numbers by cumulative ones, if present', () => {
  expect(begun(START).delta({ output_tokens: 20, input_tokens: null }, NO_DATA).usage).toEqual(
    usageOf({ ...INPUT, output: 20 }),
  );
  expect(
    begun(START).delta({ output_tokens: 20, input_tokens: 30, cache_creation_input_tokens: 8 }, NO_DATA).usage,
  ).toEqual(usageOf({ input: 30, cache_write_1h: 8, output: 20 }));
  expect(
    begun(START).delta({ output_tokens: 20, input_tokens: 12, cache_creation_input_tokens: 3 }, NO_DATA).usage,
  ).toEqual(usageOf({ input: 12, cache_write_1h: 3, output: 20 }));
  expect(begun(null).delta({ output_tokens: 20 }, NO_DATA).usage).toBeUndefined();
  expect(begun(START).delta(undefined, NO_DATA).usage).toBeUndefined();
});

it('never counts the output tokens of the beginning as those of the response', () => {
  expect(begun(START).delta({}, NO_DATA).usage).toEqual(usageOf(INPUT));
  expect(begun(START).delta({ output_tokens: null }, NO_DATA).usage).toEqual(usageOf(INPUT));
  expect(begun(START).delta({ cache_read_input_tokens: 4 }, NO_DATA).usage).toEqual(
    usageOf({ ...INPUT, cache_read: 4 }),
  );
});

it('keeps a reported output if a later event omits it', () => {
  const usage = begun(START);
  usage.delta({ output_tokens: 20 }, NO_DATA);
  expect(usage.delta({}, NO_DATA).usage).toEqual(usageOf({ ...INPUT, output: 20 }));
});

it('keeps the input if the output is invalid, and reports the figures', () => {
  const report = begun(START).delta({ output_tokens: 1e308 }, NO_DATA);
  expect(report.usage).toEqual(usageOf(INPUT));
  expect(report.unreadable).toEqual({ input: 10, cache_write_5m: 5, output: 1e308 });
});

it.each([
  ['at the end only', undefined, { input_tokens: 7, output_tokens: 2 }, { input: 7, output: 2 }],
  [
    'after zeros',
    { input_tokens: 0, output_tokens: 0 },
    { input_tokens: 7, output_tokens: 2 },
    { input: 7, output: 2 },
  ],
  [
    'after nulls',
    { input_tokens: null },
    { input_tokens: 0, cache_read_input_tokens: 7, output_tokens: 2 },
    { cache_read: 7, output: 2 },
  ],
  [
    'before zeros',
    { input_tokens: 7, cache_read_input_tokens: 3 },
    { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 2 },
    { input: 7, cache_read: 3, output: 2 },
  ],
  [
    'all of it from a cache',
    { input_tokens: 9 },
    { input_tokens: 0, cache_read_input_tokens: 9, output_tokens: 2 },
    { cache_read: 9, output: 2 },
  ],
])('reads the input of a compatible upstream: %s', (_, start, delta, expected) => {
  expect(begun(start).delta(delta, NO_DATA).usage).toEqual(usageOf(expected));
});

it('reads what the upstream charges from either end', () => {
  const usage = new StreamUsage();
  const start = { message: { usage: { input_tokens: 1, cost: 0.5 } } };
  expect(usage.start(start.message.usage, Buffer.from(JSON.stringify(start))).details).toEqual({
    upstreamCostNanos: 500_000_000n,
  });
  const delta = { usage: { output_tokens: 1, cost: 0.75, service_tier: 'priority' } };
  expect(usage.delta(delta.usage, Buffer.from(JSON.stringify(delta))).details).toEqual({
    upstreamCostNanos: 750_000_000n,
    serviceTier: 'priority',
  });
});
