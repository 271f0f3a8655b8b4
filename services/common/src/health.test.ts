import { findFreePort } from '@tollgate/local';
import { afterEach, expect, it } from 'vitest';
import { type Health, startHealth } from './health.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';

let telemetry: Telemetry | undefined;
let health: Health | undefined;
afterEach(async () => {
  await health?.stop();
  await telemetry?.shutdown();
});

it('reports whether the process can serve and why not, and measures it', async () => {
  const metricsPort = await findFreePort();
  telemetry = startTelemetry({ service: 'test', metricsPort, host: '127.0.0.1' });
  health = await startHealth('127.0.0.1', 0);
  const reported = async () => {
    const answer = await fetch(`http://127.0.0.1:${health?.port}/health/ready`);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const [, ready] = /^tollgate_ready\{.*\} (.*)$/m.exec(metrics) ?? [];
    return { status: answer.status, body: await answer.json(), ready };
  };
  expect(await reported()).toEqual({ status: 503, body: { status: 'not ready', reason: 'starting' }, ready: '0' });
  health.setProblem(undefined);
  expect(await reported()).toEqual({ status: 200, body: { status: 'ready' }, ready: '1' });
  health.setProblem('the schema is old');
  expect(await reported()).toMatchObject({ status: 503, body: { reason: 'the schema is old' }, ready: '0' });
});
