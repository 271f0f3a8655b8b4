import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUpstreamCost, withoutUpstreamCost } from './upstream-cost.ts';

function costOf(usage: string): bigint | undefined {
  const { usage: parsed }: { usage: unknown } = JSON.parse(`{"usage":${usage}}`);
  return readUpstreamCost(parsed, () => `{"usage":${usage}}`, ['usage']);
}

test.each<[string, string, bigint | undefined]>([
  ['OpenRouter', '{"cost":0.00014,"is_byok":false,"cost_details":{"upstream_inference_cost":null}}', 140_000n],
  [
    'OpenRouter with the operator’s key',
    '{"cost":0.0001,"is_byok":true,"cost_details":{"upstream_inference_cost":19e-4}}',
    2_000_000n,
  ],
  [
    'OpenRouter behind a fee',
    '{"cost":0.002,"is_byok":false,"cost_details":{"upstream_inference_cost":0.0019}}',
    2_000_000n,
  ],
  ['Perplexity', '{"cost":{"input_tokens_cost":0.000002,"request_cost":0.006,"total_cost":0.006152}}', 6_152_000n],
  ['xAI', '{"cost_in_usd_ticks":37756000}', 3_775_600n],
  ['DeepInfra', '{"estimated_cost":6.6000000000000003e-06}', 6_600n],
  ['an amount as text', '{"cost":"0.0000000015"}', 2n],
  ['half to even', '{"cost":0.0000000025}', 2n],
  ['more digits than a float has', '{"cost":0.1000000000500000000000000001}', 100_000_000n],
  ['more than half', '{"cost":0.1000000005000000000000000001}', 100_000_001n],
  ['nothing to pay', '{"cost":0}', 0n],
  ['no cost', '{"prompt_tokens":1}', undefined],
  ['a negative cost', '{"cost":-0.1}', undefined],
  ['an absurd cost', '{"cost":1e30}', undefined],
  ['text that is no amount', '{"cost":"free"}', undefined],
])('reads the cost of %s', (_, usage, expected) => {
  expect(costOf(usage)).toBe(expected);
});

test('every amount in nano-dollars comes back exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (nanos) => {
      const text = nanos.toString().padStart(10, '0');
      expect(costOf(`{"cost":${text.slice(0, -9)}.${text.slice(-9)}}`)).toBe(nanos);
    }),
  );
});

test('is left out for clients, with its details', () => {
  const usage = { prompt_tokens: 1, cost: 1, cost_details: {}, is_byok: false, cost_in_usd_ticks: 5 };
  expect(withoutUpstreamCost(usage)).toEqual({ prompt_tokens: 1 });
});
