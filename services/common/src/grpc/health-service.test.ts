import { status } from '@grpc/grpc-js';
import {
  type HealthCheckResponse,
  HealthClient,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@tollgate/proto/health';
import { expect, it, onTestFinished } from 'vitest';
import { ANSWERED, startRoutesServer } from '../../testing/routes-server.ts';
import { createGrpcClient, unaryCall } from './client.ts';
import type { GrpcServer } from './server.ts';

const SERVICE = 'tollgate.router.v1.RouterService';
const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = ServingStatus;

async function start(): Promise<{ server: GrpcServer; client: HealthClient }> {
  const server = await startRoutesServer();
  const client = createGrpcClient(HealthClient, `localhost:${server.port}`);
  onTestFinished(async () => {
    client.close();
    await server.stop(0);
  });
  return { server, client };
}

function check(client: HealthClient, service: string): Promise<HealthCheckResponse> {
  return unaryCall(client.check.bind(client), { service }, ANSWERED);
}

/** Watches a service. The statuses are those received so far. */
function watch(client: HealthClient, service: string): { statuses: ServingStatus[]; ended: Promise<void> } {
  const call = client.watch({ service });
  const statuses: ServingStatus[] = [];
  call.on('data', (response: HealthCheckResponse) => statuses.push(response.status));
  const ended = new Promise<void>((resolve, reject) => {
    call.on('end', resolve);
    call.on('error', reject);
  });
  return { statuses, ended };
}

it('reports the status of the server and its service, which do not serve at first', async () => {
  const { server, client } = await start();
  for (const service of ['', SERVICE]) expect((await check(client, service)).status).toBe(NOT_SERVING);
  server.setServing(true);
  for (const service of ['', SERVICE]) expect((await check(client, service)).status).toBe(SERVING);
  expect(await unaryCall(client.list.bind(client), {}, ANSWERED)).toEqual({
    statuses: { '': { status: SERVING }, [SERVICE]: { status: SERVING } },
  });
  server.setServing(false);
  for (const service of ['', SERVICE]) expect((await check(client, service)).status).toBe(NOT_SERVING);
  await expect(check(client, 'tollgate.auth.v1.AuthService')).rejects.toMatchObject({ code: status.NOT_FOUND });
});

it('sends changes to those that watch, each once', async () => {
  const { server, client } = await start();
  const watched = ['', SERVICE].map((service) => watch(client, service));
  const unknown = watch(client, 'tollgate.auth.v1.AuthService');
  for (const { statuses } of watched) await expect.poll(() => statuses).toEqual([NOT_SERVING]);
  await expect.poll(() => unknown.statuses).toEqual([SERVICE_UNKNOWN]);
  for (const serving of [true, true, false]) server.setServing(serving);
  for (const { statuses } of watched) await expect.poll(() => statuses).toEqual([NOT_SERVING, SERVING, NOT_SERVING]);
  expect(unknown.statuses).toEqual([SERVICE_UNKNOWN]);
});

it('ends watches when the server stops, which does not wait for them', async () => {
  const { server, client } = await start();
  const watched = watch(client, SERVICE);
  await expect.poll(() => watched.statuses).toEqual([NOT_SERVING]);
  const stopped = server.stop(3_600_000);
  server.setServing(true);
  await watched.ended;
  expect(watched.statuses).toEqual([NOT_SERVING]);
  client.close();
  await stopped;
});
