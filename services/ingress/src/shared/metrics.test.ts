import { startTestMetrics, type TestMetrics } from '@tollgate/common/testing/test-metrics';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PricedLine } from './catalogue/request-price.ts';
import { Metrics } from './metrics.ts';

let measured: TestMetrics;
beforeAll(async () => {
  measured = await startTestMetrics();
});
afterAll(() => measured?.stop());

it('counts responses with implausible usage, by deployment', async () => {
  const metrics = new Metrics();
  for (const deployment of ['small@sim', 'large@sim', 'small@sim']) metrics.implausibleUsage(deployment);
  const count = (deployment: string) => measured.value('tollgate_usage_disbelieved_total', { deployment });
  expect([await count('small@sim'), await count('large@sim'), await count('another')]).toEqual([2, 1, undefined]);
});

it('counts responses that reported an option without a price, by deployment and option', async () => {
  const metrics = new Metrics();
  metrics.unpricedOption('small@sim', 'service_tier');
  metrics.unpricedOption('small@sim', 'service_tier');
  metrics.unpricedOption('small@sim', 'speed');
  const count = (option: string) =>
    measured.value('tollgate_price_options_unpriced_total', { deployment: 'small@sim', option });
  expect([await count('service_tier'), await count('speed'), await count('inference_geo')]).toEqual([2, 1, undefined]);
});

it('sums the usage of charges by model and bucket, and their cost by model', async () => {
  const metrics = new Metrics();
  metrics.charge('a-model', [line('input', 3n), line('output', 4n)], 1_000n);
  metrics.charge('a-model', [line('input', 10n)], 500n);
  metrics.charge('a-free-model', [line('input', 7n)], 0n);
  const tokens = (model: string, bucket: string) =>
    measured.value('tollgate_tokens_total', { gen_ai_request_model: model, bucket });
  const cost = (model: string) => measured.value('tollgate_cost_total', { gen_ai_request_model: model });
  expect([await tokens('a-model', 'input'), await tokens('a-model', 'output')]).toEqual([13, 4]);
  expect([await tokens('a-free-model', 'input'), await tokens('a-free-model', 'output')]).toEqual([7, undefined]);
  expect([await cost('a-model'), await cost('a-free-model')]).toEqual([1_500, undefined]);
  metrics.charge('a-model', [line('input', 1n)], 1n);
  expect([await tokens('a-model', 'input'), await cost('a-model')]).toEqual([14, 1_501]);
});

function line(bucket: string, quantity: bigint): PricedLine {
  return {
    bucket,
    quantity,
    rateNanosPerMillion: 1_000_000n,
    listRateNanosPerMillion: undefined,
    amountNanos: quantity,
  };
}
