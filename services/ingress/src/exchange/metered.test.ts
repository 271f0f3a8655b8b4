import { usageOf } from '@tollgate/protocols/usage';
import { expect, it } from 'vitest';
import { meter } from './metered.ts';

const countInput = () => Promise.resolve(77);

it('believes a report', async () => {
  const reported = usageOf({ input: 5, output: 3 });
  expect(await meter({ reported, text: 'some words' }, countInput)).toEqual({ usage: reported, estimated: false });
  const nothing = usageOf({ input: 5 });
  expect(await meter({ reported: nothing, text: '' }, countInput)).toEqual({ usage: nothing, estimated: false });
});

it('counts everything where nothing was reported', async () => {
  for (const reported of [undefined, usageOf({})]) {
    const { usage, estimated } = await meter({ reported, text: 'some words that came out' }, countInput);
    expect(estimated).toBe(true);
    expect(usage).toEqual(usageOf({ input: 77, output: 5 }));
  }
});

it('takes the input that was reported before an answer broke off, and counts what came out', async () => {
  const reported = usageOf({ input: 5, cache_read: 40 });
  const { usage, estimated } = await meter({ reported, text: 'some words that came out' }, countInput);
  expect(estimated).toBe(true);
  expect(usage).toEqual(usageOf({ input: 5, cache_read: 40, output: 5 }));
});
