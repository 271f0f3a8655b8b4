import { promises as dns } from 'node:dns';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { createLogger } from '@tollgate/common/logging';
import { RouterServiceClient, RouterServiceService, RouteTable, type WatchRoutesRequest } from '@tollgate/proto/router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RouteWatch } from './route-watch.ts';

const logger = createLogger('ingress', 'silent');
let router: GrpcServer;
let streams: ServerWritableStream<WatchRoutesRequest, RouteTable>[];
let watch: RouteWatch;
/** Whether the router's name is known. */
let known: boolean;

beforeEach(async () => {
  streams = [];
  router = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    definition: RouterServiceService,
    implementation: {
      watchRoutes: (call: ServerWritableStream<WatchRoutesRequest, RouteTable>) => {
        streams.push(call);
        call.write(RouteTable.fromPartial({ version: String(streams.length) }));
      },
      reportOutcomes: () => undefined,
    },
    serviceName: 'tollgate.router.v1.RouterService',
  });
  vi.spyOn(dns, 'lookup').mockImplementation((() =>
    known
      ? Promise.resolve([{ address: '127.0.0.1', family: 4 }])
      : Promise.reject(new Error('getaddrinfo ENOTFOUND'))) as typeof dns.lookup);
  const client = createGrpcClient(RouterServiceClient, `dns:///router.test:${router.port}`);
  watch = new RouteWatch(client, 'watcher', logger);
});
afterEach(async () => {
  await watch.stop();
  await router.stop(0);
  vi.restoreAllMocks();
});

it('finds a router whose name is not known yet when it starts', async () => {
  known = false;
  watch.start();
  await expect.poll(() => vi.mocked(dns.lookup).mock.calls.length).toBeGreaterThan(3);
  expect(watch.table).toBeUndefined();
  known = true;
  await expect.poll(() => watch.table?.version).toBe('1');
});

it('keeps the last table while its stream is broken, and opens another', async () => {
  known = true;
  watch.start();
  await expect.poll(() => watch.table?.version).toBe('1');
  streams[0]?.end();
  expect(watch.table?.version).toBe('1');
  await expect.poll(() => watch.table?.version).toBe('2');
});
