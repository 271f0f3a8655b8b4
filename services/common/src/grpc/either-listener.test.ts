import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RouterServiceClient, RouterServiceService, RouteTable } from '@tollgate/proto/router';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createLogger } from '../logging.ts';
import { createGrpcClient, unaryCall } from './client.ts';
import { type GrpcServer, startGrpcServer } from './server.ts';
import { TestAuthority } from './testing/test-authority.ts';
import { type GrpcTlsSettings, grpcTls } from './tls.ts';

let folder: string;
let authority: TestAuthority;
let server: GrpcServer;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-either-'));
  authority = new TestAuthority(folder, 'authority');
  server = await startGrpcServer({
    host: 'localhost',
    port: 0,
    logger: createLogger('test', 'silent'),
    definition: RouterServiceService,
    implementation: {
      getRoutes: (_call: unknown, answer: (error: null, response: RouteTable) => void) =>
        answer(null, RouteTable.fromPartial({})),
    },
    serviceName: 'tollgate.router.v1.RouterService',
    tls: grpcTls({ ...authority.issue('server'), GRPC_TLS_OPTIONAL: true }),
  });
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(async () => {
  await server.stop(1_000);
  rmSync(folder, { recursive: true });
});

function getRoutes(files: GrpcTlsSettings): Promise<RouteTable> {
  const client = createGrpcClient(RouterServiceClient, `localhost:${server.port}`, grpcTls(files));
  stops.push(() => client.close());
  return unaryCall(client.getRoutes.bind(client), {}, { deadlineMs: 20_000 });
}

it('takes calls with and without TLS at one port, and holds certificates to their role all the same', async () => {
  await expect(getRoutes({})).resolves.toBeDefined();
  await expect(getRoutes(authority.issue('cli', ['DNS:cli']))).resolves.toBeDefined();
  await expect(getRoutes(authority.issue('ingress', ['DNS:ingress']))).rejects.toThrow(/PERMISSION_DENIED/);
});

it('refuses a certificate of another authority', async () => {
  const other = new TestAuthority(folder, 'other').issue('stranger', ['DNS:cli']);
  const client = createGrpcClient(
    RouterServiceClient,
    `localhost:${server.port}`,
    grpcTls({ ...other, GRPC_TLS_CA_FILE: authority.certificate }),
  );
  stops.push(() => client.close());
  await expect(unaryCall(client.getRoutes.bind(client), {}, { deadlineMs: 1_000 })).rejects.toThrow(
    /UNAVAILABLE|DEADLINE_EXCEEDED/,
  );
});

it('serves on beside connections that say nothing, break off or talk nonsense', async () => {
  for (const first of ['', '\u0016nonsense', 'GET / HTTP/1.1\r\n\r\n']) {
    const socket = connect(server.port, 'localhost');
    stops.push(() => socket.destroy());
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    if (first !== '') socket.write(first, 'latin1');
    if (first.startsWith('\u0016')) socket.resetAndDestroy();
  }
  await expect(getRoutes({})).resolves.toBeDefined();
});
