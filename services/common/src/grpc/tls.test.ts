import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { ANSWERED, getRoutes, REFUSED, startRoutesServer } from '../../testing/routes-server.ts';
import { TestAuthority } from '../../testing/test-authority.ts';
import { startTestMetrics } from '../../testing/test-metrics.ts';
import { ConfigError } from '../config.ts';
import type { GrpcServer } from './server.ts';
import { type GrpcTlsSettings, grpcTls } from './tls.ts';

const REFRESH_MS = 50;
/** In this time a server that does not wait listens. */
const WRITE_DELAY_MS = 300;

let folder: string;
let ours: TestAuthority;
let theirs: TestAuthority;
const stops: (() => unknown)[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-tls-'));
  [ours, theirs] = [new TestAuthority(folder, 'ours'), new TestAuthority(folder, 'theirs')];
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

const path = (name: string) => join(folder, name);
/** The name of a caller that every service accepts. */
const CALLER = ['DNS:console'];

async function startServer(settings: GrpcTlsSettings, refreshMs = REFRESH_MS): Promise<GrpcServer> {
  const server = await startRoutesServer({ tls: grpcTls(settings, refreshMs) });
  stops.push(() => server.stop(100));
  return server;
}

const call = ({ port }: GrpcServer, settings: GrpcTlsSettings, options = ANSWERED) =>
  getRoutes(`localhost:${port}`, grpcTls(settings, REFRESH_MS), options);

it('lets services with certificates of the same authority talk', async () => {
  const server = await startServer(ours.issue('server'));
  await expect(call(server, ours.issue('client', CALLER))).resolves.toBeDefined();
});

it('listens once its files are read, since it would drop connections before', async () => {
  const settings = ours.issue('slow');
  const key = readFileSync(path('slow.key'));
  rmSync(path('slow.key'));
  execFileSync('mkfifo', [path('slow.key')]);
  const order: string[] = [];
  const starting = startServer(settings, 60_000).then((server) => {
    order.push('listens');
    return server;
  });
  // Opening waits for the reader.
  const pipe = await open(path('slow.key'), 'w');
  await Promise.race([starting, setTimeout(WRITE_DELAY_MS)]);
  order.push('written');
  await pipe.writeFile(key);
  await pipe.close();
  const server = await starting;
  expect(order).toEqual(['written', 'listens']);
  await expect(call(server, ours.issue('client', CALLER))).resolves.toBeDefined();
});

it.each(['GRPC_TLS_CERT_FILE', 'GRPC_TLS_KEY_FILE', 'GRPC_TLS_CA_FILE'])(
  'names a %s that cannot be read',
  (setting) => {
    const settings = { ...ours.issue('server'), [setting]: path('absent.pem') };
    expect(() => grpcTls(settings)).toThrow(ConfigError);
    expect(() => grpcTls(settings)).toThrow(new RegExp(`^${setting}: cannot be read: ENOENT.*absent.pem`));
  },
);

it('refuses a client without a certificate, one of another authority, and one that does not encrypt', async () => {
  const server = await startServer(ours.issue('server'));
  const foreign = { ...theirs.issue('foreign', CALLER, 'client'), GRPC_TLS_CA_FILE: path('ours-ca.pem') };
  await expect(call(server, foreign, REFUSED)).rejects.toThrow(/UNAVAILABLE|DEADLINE_EXCEEDED/);
  await expect(call(server, {}, REFUSED)).rejects.toThrow(/UNAVAILABLE|DEADLINE_EXCEEDED/);
});

it('refuses a server of another authority', async () => {
  const server = await startServer({
    ...theirs.issue('impostor', CALLER, 'server'),
    GRPC_TLS_CA_FILE: path('ours-ca.pem'),
  });
  await expect(call(server, ours.issue('client', CALLER), REFUSED)).rejects.toThrow(/UNAVAILABLE|DEADLINE_EXCEEDED/);
});

it('uses a renewed certificate without a restart', async () => {
  const settings = ours.issue('server', [], 'first');
  const server = await startServer(settings);
  expect(await nameOf(server)).toBe('first');
  ours.issue('renewed', CALLER, 'second');
  copyFileSync(path('renewed.key'), path('server.key'));
  copyFileSync(path('renewed.pem'), path('server.pem'));
  await vi.waitFor(async () => expect(await nameOf(server)).toBe('second'), { timeout: 30_000 });
});

it('goes over to another authority without a refusal, while both are trusted', async () => {
  const settings = ours.issue('server');
  const authorities = path('authorities.pem');
  writeFileSync(authorities, ['ours', 'theirs'].map((name) => readFileSync(path(`${name}-ca.pem`), 'utf8')).join(''));
  const trusting = (own: GrpcTlsSettings) => ({ ...own, GRPC_TLS_CA_FILE: authorities });
  const server = await startServer(trusting(settings));
  const before = trusting(ours.issue('before', CALLER));
  await expect(call(server, before)).resolves.toBeDefined();

  theirs.issue('moved', CALLER);
  copyFileSync(path('moved.key'), path('server.key'));
  copyFileSync(path('moved.pem'), path('server.pem'));
  await vi.waitFor(async () => expect(await nameOf(server)).toBe('moved'), { timeout: 30_000 });
  await expect(call(server, before)).resolves.toBeDefined();
  const after = trusting(theirs.issue('after', CALLER));
  await expect(call(server, after)).resolves.toBeDefined();

  copyFileSync(path('theirs-ca.pem'), authorities);
  const outdated = { ...before, GRPC_TLS_CA_FILE: path('theirs-ca.pem') };
  await vi.waitFor(() => expect(call(server, outdated, REFUSED)).rejects.toThrow(/UNAVAILABLE|DEADLINE_EXCEEDED/), {
    timeout: 30_000,
  });
  await expect(call(server, after)).resolves.toBeDefined();
});

it('measures until when certificates hold, of several authorities the one that holds the longest', async () => {
  const metrics = await startTestMetrics();
  stops.push(() => metrics.stop());
  const longer = new TestAuthority(folder, 'longer', 9).certificate;
  const both = path('both.pem');
  writeFileSync(both, readFileSync(longer, 'utf8') + readFileSync(path('ours-ca.pem'), 'utf8'));
  grpcTls({ ...ours.issue('measured', CALLER), GRPC_TLS_CA_FILE: both });
  const days = async (of: string) => {
    const seconds = await metrics.value('tollgate_tls_certificate_expires', { of });
    return (Number(seconds) - Date.now() / 1_000) / 86_400;
  };
  expect(await days('certificate')).toBeCloseTo(2, 1);
  expect(await days('authority')).toBeCloseTo(9, 1);
});

it('names what is missing where only some files are set', () => {
  expect(() => grpcTls({ GRPC_TLS_CERT_FILE: 'a', GRPC_TLS_KEY_FILE: 'b' })).toThrow(/^GRPC_TLS_CA_FILE: must be set/);
  expect(grpcTls({})).toBeUndefined();
});

/** The common name of the certificate that a server shows. */
function nameOf({ port }: GrpcServer): Promise<string | string[] | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: 'localhost', port, rejectUnauthorized: false, ALPNProtocols: ['h2'] }, () => {
      resolve(socket.getPeerCertificate().subject?.CN);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
