import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RouterServiceClient, RouterServiceService, RouteTable } from '@tollgate/proto/router';
import { expect, it } from 'vitest';
import { createLogger } from '../logging.ts';
import { createGrpcClient, unaryCall } from './client.ts';
import { startGrpcServer } from './server.ts';

it('serves on a Unix socket, also where a process that was killed has left its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-socket-'));
  const socket = join(folder, 'router');
  writeFileSync(socket, '');
  const server = await startGrpcServer({
    host: 'localhost',
    port: 0,
    socket,
    logger: createLogger('test', 'silent'),
    definition: RouterServiceService,
    implementation: {
      getRoutes: (_call: unknown, answer: (error: null, response: RouteTable) => void) =>
        answer(null, RouteTable.fromPartial({})),
    },
    serviceName: 'tollgate.router.v1.RouterService',
  });
  const client = createGrpcClient(RouterServiceClient, `unix:${socket}`);
  await expect(unaryCall(client.getRoutes.bind(client), {}, { deadlineMs: 20_000 })).resolves.toBeDefined();
  client.close();
  await server.stop(1_000);
  rmSync(folder, { recursive: true });
});
