import { usageOf } from '@tollgate/protocols/usage';
import { expect, it } from 'vitest';
import { meter } from './metered.ts';

const call = { countInput: () => Promise.resolve(77), mostOutputTokens: 1_000 };

it('believes a report', async () => {
  const reported = usageOf({ input: 5, output: 3 });
  expect(await meter({ reported, text: 'some words' }, call)).toEqual({ usage: reported, estimated: false });
  const nothing = usageOf({ input: 5 });
  expect(await meter({ reported: nothing, text: '' }, call)).toEqual({ usage: nothing, estimated: false });
});

it('counts everything where nothing was reported', async () => {
  for (const reported of [undefined, usageOf({})]) {
    const { usage, estimated } = await meter({ reported, text: 'some words that came out' }, call);
    expect(estimated).toBe(true);
    expect(usage).toEqual(usageOf({ input: 77, output: 5 }));
  }
});

it('takes the input that was reported before an answer broke off, and counts what came out', async () => {
  const reported = usageOf({ input: 5, cache_read: 40 });
  const { usage, estimated } = await meter({ reported, text: 'some words that came out' }, call);
  expect(estimated).toBe(true);
  expect(usage).toEqual(usageOf({ input: 5, cache_read: 40, output: 5 }));
});

it('never counts more output than the upstream was allowed, however its tokens differ from ours', async () => {
  const observed = { reported: undefined, text: 'some words that came out' };
  const { usage } = await meter(observed, { ...call, mostOutputTokens: 4 });
  expect(usage.output).toBe(4);
});
