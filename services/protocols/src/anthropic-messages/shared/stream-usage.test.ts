import { expect, it } from 'vitest';
import { usageOf } from '../../canonical/usage.ts';
import { StreamUsage } from './stream-usage.ts';

const START = {
  input_tokens: 10,
  output_tokens: 3,
  cache_creation_input_tokens: 5,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 },
};
const INPUT = { input: 10, cache_write_1h: 5 };

function begun(start: unknown = START): StreamUsage {
  const usage = new StreamUsage();
  usage.start(start);
  return usage;
}

it('reads only the input from the beginning', () => {
  expect(new StreamUsage().start(START).usage).toEqual(usageOf(INPUT));
  expect(new StreamUsage().start({ input_tokens: 0, output_tokens: 0 }).usage).toBeUndefined();
});

it('replaces earlier numbers by cumulative ones, if present', () => {
  expect(begun().delta({ output_tokens: 20, input_tokens: null }).usage).toEqual(usageOf({ ...INPUT, output: 20 }));
  expect(begun().delta({ output_tokens: 20, input_tokens: 30, cache_creation_input_tokens: 8 }).usage).toEqual(
    usageOf({ input: 30, cache_write_1h: 8, output: 20 }),
  );
  expect(begun(null).delta({ output_tokens: 20 }).usage).toBeUndefined();
  expect(begun().delta(undefined).usage).toBeUndefined();
});

it('never counts the output tokens of the beginning as those of the response', () => {
  expect(begun().delta({}).usage).toEqual(usageOf(INPUT));
  expect(begun().delta({ output_tokens: null }).usage).toEqual(usageOf(INPUT));
  expect(begun().delta({ cache_read_input_tokens: 4 }).usage).toEqual(usageOf({ ...INPUT, cache_read: 4 }));
});

it('keeps a reported output if a later event omits it', () => {
  const usage = begun();
  usage.delta({ output_tokens: 20 });
  expect(usage.delta({}).usage).toEqual(usageOf({ ...INPUT, output: 20 }));
});

it('keeps the input if the output is invalid, and reports the figures', () => {
  const report = begun().delta({ output_tokens: 1e308 });
  expect(report.usage).toEqual(usageOf(INPUT));
  expect(report.unreadable).toEqual({ input: 10, cache_write_5m: 5, output: 1e308 });
});
