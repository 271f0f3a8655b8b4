import { startGrpcServer } from '@tollgate/common/grpc/server';
import { grpcTls } from '@tollgate/common/grpc/tls';
import { createLogger } from '@tollgate/common/logging';
import { TestAuthority } from '@tollgate/common/testing/test-authority';
import { findFreePort } from '@tollgate/local';
import { GetHealthResponse, RouterServiceService } from '@tollgate/proto/router';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { RouterReplicas } from './router-replicas.ts';

const CALL = { deadlineMs: 20_000 };
const folder = makeTemporaryFolder();
const authority = new TestAuthority(folder.path, 'authority');
const serverTls = grpcTls(authority.issue('server'));
const clientTls = grpcTls(authority.issue('client', ['DNS:console']));

let port: number;
let known: { address: string; family: number }[];
const stops: (() => unknown)[] = [];

beforeEach(async () => {
  port = await findFreePort();
  known = [];
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => folder.remove());

/** Starts a router that has received some outcomes of one deployment, at an address of its own. */
async function startRouterAt(address: string, successes: bigint): Promise<() => Promise<void>> {
  const server = await startGrpcServer({
    host: address,
    port,
    logger: createLogger('test', 'silent'),
    definition: RouterServiceService,
    implementation: {
      getHealth: (_call: unknown, callback: (error: null, response: GetHealthResponse) => void) =>
        callback(null, GetHealthResponse.fromPartial({ deployments: [{ deploymentId: 'a', successes }] })),
    },
    serviceName: 'tollgate.router.v1.RouterService',
    tls: serverTls,
  });
  known.push({ address, family: 4 });
  const stop = () => server.stop(100);
  stops.push(stop);
  return stop;
}

function replicas(): RouterReplicas {
  const all = new RouterReplicas(`localhost:${port}`, clientTls, () => Promise.resolve([...known]));
  stops.push(() => all.close());
  return all;
}

async function successes(all: RouterReplicas): Promise<bigint | undefined> {
  return (await all.readHealth(CALL))[0]?.successes;
}

test('outcomes of all routers are added up, as routers come and go', async () => {
  const all = replicas();
  await startRouterAt('127.0.0.2', 3n);
  expect(await successes(all)).toBe(3n);
  const stop = await startRouterAt('127.0.0.3', 4n);
  expect(await successes(all)).toBe(7n);
  await stop();
  expect(await successes(all)).toBe(3n);
});

test('a router with two addresses is counted once', async () => {
  await startRouterAt('127.0.0.2', 3n);
  known.push({ address: '::1', family: 6 });
  expect(await successes(replicas())).toBe(3n);
});

test('without any router the call fails', async () => {
  known.push({ address: '127.0.0.2', family: 4 });
  await expect(replicas().readHealth(CALL)).rejects.toThrow(/UNAVAILABLE|DEADLINE_EXCEEDED/);
});
