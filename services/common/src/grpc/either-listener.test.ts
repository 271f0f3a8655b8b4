import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ANSWERED, getRoutes, REFUSED, startRoutesServer } from '../../testing/routes-server.ts';
import { TestAuthority } from '../../testing/test-authority.ts';
import type { GrpcServer } from './server.ts';
import { type GrpcTlsSettings, grpcTls } from './tls.ts';

let folder: string;
let authority: TestAuthority;
let server: GrpcServer;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-either-'));
  authority = new TestAuthority(folder, 'authority');
  server = await startRoutesServer({ tls: grpcTls({ ...authority.issue('server'), GRPC_TLS_OPTIONAL: true }) });
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(async () => {
  await server.stop(1_000);
  rmSync(folder, { recursive: true });
});

const call = (files: GrpcTlsSettings, options = ANSWERED) =>
  getRoutes(`localhost:${server.port}`, grpcTls(files), options);

it('takes calls with and without TLS at one port, and holds certificates to their role all the same', async () => {
  await expect(call({})).resolves.toBeDefined();
  await expect(call(authority.issue('console', ['DNS:console']))).resolves.toBeDefined();
  await expect(call(authority.issue('ingress', ['DNS:ingress']))).rejects.toThrow(/PERMISSION_DENIED/);
});

it('refuses a certificate of another authority', async () => {
  const other = new TestAuthority(folder, 'other').issue('foreign', ['DNS:console']);
  const files = { ...other, GRPC_TLS_CA_FILE: authority.certificate };
  await expect(call(files, REFUSED)).rejects.toThrow(/UNAVAILABLE|DEADLINE_EXCEEDED/);
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
  await expect(call({})).resolves.toBeDefined();
});
