import { startTestMetrics, type TestMetrics } from '@tollgate/common/testing/test-metrics';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
