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

it('reads the input alone from the beginning', () => {
  expect(new StreamUsage().start(START).usage).toEqual(usageOf(INPUT));
  expect(new StreamUsage().start({ input_tokens: 0, output_tokens: 0 }).usage).toBeUndefined();
});

it('has cumulative numbers replace earlier ones where they are there', () => {
  expect(begun().delta({ output_tokens: 20, input_tokens: null }).usage).toEqual(usageOf({ ...INPUT, output: 20 }));
  expect(begun().delta({ output_tokens: 20, input_tokens: 30, cache_creation_input_tokens: 8 }).usage).toEqual(
    usageOf({ input: 30, cache_write_1h: 8, output: 20 }),
  );
  expect(begun(null).delta({ output_tokens: 20 }).usage).toBeUndefined();
  expect(begun().delta(undefined).usage).toBeUndefined();
});

it('never takes the output tokens of the beginning for those of the response', () => {
  expect(begun().delta({}).usage).toEqual(usageOf(INPUT));
  expect(begun().delta({ output_tokens: null }).usage).toEqual(usageOf(INPUT));
  expect(begun().delta({ cache_read_input_tokens: 4 }).usage).toEqual(usageOf({ ...INPUT, cache_read: 4 }));
});

it('keeps an output that was reported before, where a later event leaves it out', () => {
  const usage = begun();
  usage.delta({ output_tokens: 20 });
  expect(usage.delta({}).usage).toEqual(usageOf({ ...INPUT, output: 20 }));
});

it('keeps the input where the output cannot be read, and shows the figures', () => {
  const report = begun().delta({ output_tokens: 1e308 });
  expect(report.usage).toEqual(usageOf(INPUT));
  expect(report.unreadable).toEqual({ input: 10, cache_write_5m: 5, output: 1e308 });
});
