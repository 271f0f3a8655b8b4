import { startTelemetry, type Telemetry } from '@tollgate/common/telemetry';
import { findFreePort } from '@tollgate/local';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Metrics } from './metrics.ts';

let telemetry: Telemetry;
let metricsPort: number;

beforeAll(async () => {
  metricsPort = await findFreePort();
  telemetry = startTelemetry({ service: 'test', metricsPort, host: '127.0.0.1' });
});
afterAll(() => telemetry?.shutdown());

it('counts responses with implausible usage, by deployment', async () => {
  const metrics = new Metrics();
  for (const deployment of ['small@sim', 'large@sim', 'small@sim']) metrics.implausibleUsage(deployment);
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const counts = [...text.matchAll(/^tollgate_usage_disbelieved_total\{.*deployment="([^"]*)".*\} (\d+)$/gm)];
  expect(Object.fromEntries(counts.map(([, deployment, count]) => [deployment, count]))).toEqual({
    'small@sim': '2',
    'large@sim': '1',
  });
});
