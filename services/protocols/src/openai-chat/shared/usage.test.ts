import { expect, test } from 'vitest';
import { usageOf } from '../../canonical/usage.ts';
import { encodeUsage, readReport } from './usage.ts';

const counts = { prompt_tokens: 14, completion_tokens: 10, total_tokens: 24 };

function report(body: Readonly<Record<string, unknown>>) {
  return readReport(body, Buffer.from(JSON.stringify(body)));
}

test('encoded usage decodes to the same, with its cost as a JSON number', () => {
  const usage = usageOf({ input: 10, cache_read: 4, output: 7, reasoning: 3 });
  const json: unknown = JSON.parse(encodeUsage(usage, '0.000012'));
  expect(report({ usage: json }).usage).toEqual(usage);
  expect(json).toMatchObject({ ...counts, cost: 0.000012 });
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['Groq', { choices: [], x_groq: { id: 'r', usage: counts } }],
  ['Moonshot', { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: counts }] }],
  ['llama.cpp', { choices: [], timings: { prompt_n: 14, predicted_n: 10 } }],
  ['usage that is null beside another', { usage: null, x_groq: { usage: counts } }],
])('is found where providers put it: %s', (_, body) => {
  expect(report(body)).toMatchObject({ usage: usageOf({ input: 14, output: 10 }), isInPlace: false });
});

test('cached tokens are those of the timings if the usage has none', () => {
  const timings = { cache_n: 9, prompt_n: 5, predicted_n: 10 };
  expect(report({ usage: counts, timings }).usage).toEqual(usageOf({ input: 5, cache_read: 9, output: 10 }));
  // Of another request, or counted otherwise.
  expect(report({ usage: counts, timings: { ...timings, prompt_n: 6 } }).usage).toEqual(
    usageOf({ input: 14, output: 10 }),
  );
});

test('reports what else is known', () => {
  expect(report({ usage: { ...counts, cost: 0.00014 }, service_tier: 'flex' })).toMatchObject({
    details: { upstreamCostNanos: 140_000n, serviceTier: 'flex' },
    isInPlace: true,
  });
  expect(report({ usage: counts, service_tier: null }).details).toBeUndefined();
  // Of a chunk before the last one.
  const chunk = { choices: [], usage: null };
  expect(report({ ...chunk, service_tier: 'priority' })).toMatchObject({ details: { serviceTier: 'priority' } });
  expect(report({ ...chunk, service_tier: 'auto' }).details).toBeUndefined();
});
