import { afterEach, expect, it } from 'vitest';
import { startTestMetrics, type TestMetrics } from '../testing/test-metrics.ts';
import { type Health, startHealth } from './health.ts';

let metrics: TestMetrics | undefined;
let health: Health | undefined;
afterEach(async () => {
  await health?.stop();
  await metrics?.stop();
});

it('reports whether the process can serve and why not, and measures it', async () => {
  metrics = await startTestMetrics();
  health = await startHealth('127.0.0.1', 0);
  const reported = async () => {
    const response = await fetch(`http://127.0.0.1:${health?.port}/health/ready`);
    return { status: response.status, body: await response.json(), ready: await metrics?.value('tollgate_ready') };
  };
  expect(await reported()).toEqual({ status: 503, body: { status: 'not ready', reason: 'starting' }, ready: 0 });
  health.setProblem(undefined);
  expect(await reported()).toEqual({ status: 200, body: { status: 'ready' }, ready: 1 });
  health.setProblem('the schema is old');
  expect(await reported()).toMatchObject({ status: 503, body: { reason: 'the schema is old' }, ready: 0 });
});
