import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Metadata, type ServiceDefinition, status } from '@grpc/grpc-js';
import { AuthServiceService } from '@tollgate/proto/auth';
import { LedgerServiceService } from '@tollgate/proto/ledger';
import { PaymentsServiceService } from '@tollgate/proto/payments';
import { RouterServiceService } from '@tollgate/proto/router';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestAuthority } from '../../testing/test-authority.ts';
import { setActorToken } from '../actors/attach-token.ts';
import { PERMISSIONS } from '../actors/permissions.ts';
import { createLogger } from '../logging.ts';
import { ALLOWED_CALLERS, CALLER_ROLES } from './callers.ts';
import { createGrpcClient } from './client.ts';
import { type GrpcServer, startGrpcServer } from './server.ts';
import { type GrpcTlsSettings, grpcTls } from './tls.ts';

const SERVICES: ServiceDefinition[] = [
  AuthServiceService,
  LedgerServiceService,
  RouterServiceService,
  PaymentsServiceService,
];
const HEALTH_CHECK = '/grpc.health.v1.Health/Check';
const CLIENT_NAME = 'tollgate-{role}.tollgate.svc';

let folder: string;
let authority: TestAuthority;
let serverFiles: GrpcTlsSettings;
const stops: (() => unknown)[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-callers-'));
  authority = new TestAuthority(folder, 'authority');
  serverFiles = authority.issue('server');
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a server that implements no method: allowed calls fail with UNIMPLEMENTED. */
async function startServer(definition: ServiceDefinition, settings: GrpcTlsSettings = {}): Promise<GrpcServer> {
  const server = await startGrpcServer({
    host: 'localhost',
    port: 0,
    logger: createLogger('test', 'silent'),
    definition,
    implementation: {},
    serviceName: 'tollgate.router.v1.RouterService',
    tls: grpcTls({ ...serverFiles, GRPC_TLS_CLIENT_NAME: CLIENT_NAME, ...settings }),
  });
  stops.push(() => server.stop(100));
  return server;
}

function clientOf({ port }: GrpcServer, files: GrpcTlsSettings): Client {
  const client = createGrpcClient(Client, `localhost:${port}`, grpcTls(files));
  stops.push(() => client.close());
  return client;
}

const roleFiles = (role: string) =>
  authority.issue(role, [`DNS:tollgate-${role}`, `DNS:tollgate-${role}.tollgate.svc`]);

/** How a call ends, as any kind of method: with its status and the server's words. */
function call(client: Client, path: string, token?: string): Promise<{ code: status; details: string }> {
  const metadata = new Metadata();
  if (token !== undefined) setActorToken(metadata, token);
  return new Promise((resolve) => {
    const asIs = (bytes: Buffer) => bytes;
    const stream = client.makeBidiStreamRequest(path, asIs, asIs, metadata, { deadline: Date.now() + 20_000 });
    stream.on('data', () => undefined);
    stream.on('error', () => undefined);
    stream.on('status', ({ code, details }) => resolve({ code, details }));
    stream.end(Buffer.alloc(0));
  });
}

const pathsOf = (definition: ServiceDefinition) => Object.values(definition).map((method) => method.path);

it('decides on every call of every service, and on none that is not there', () => {
  const decided = Object.keys(ALLOWED_CALLERS).filter((path) => path.startsWith('/tollgate.'));
  expect(decided.sort()).toEqual(SERVICES.flatMap(pathsOf).sort());
});

describe.each([
  ['auth', AuthServiceService],
  ['ledger', LedgerServiceService],
  ['router', RouterServiceService],
  ['payments', PaymentsServiceService],
])('the certificate of a caller of %s', (_, definition: ServiceDefinition) => {
  it('opens the calls of its role and no other', async () => {
    const server = await startServer(definition);
    for (const role of CALLER_ROLES) {
      const client = clientOf(server, roleFiles(role));
      for (const path of pathsOf(definition)) {
        const isAllowed = ALLOWED_CALLERS[path]?.includes(role);
        const { code } = await call(client, path, 'checked by the handler');
        expect([path, role, status[code]]).toEqual([path, role, isAllowed ? 'UNIMPLEMENTED' : 'PERMISSION_DENIED']);
      }
    }
  });
});

it('lets only an ingress lease, settle and look up keys, and only the console manage', () => {
  const callersOf = (name: string) => Object.entries(ALLOWED_CALLERS).find(([path]) => path.endsWith(`/${name}`))?.[1];
  for (const name of ['Lease', 'Settle', 'ResolveKey', 'WatchRevocations', 'ReportKeyUse', 'ReportOutcomes'])
    expect([name, callersOf(name)]).toEqual([name, ['ingress']]);
  for (const name of ['CreateAccount', 'CreateKey', 'DeleteKey', 'RotateKey', 'SuspendAccount', 'Deposit'])
    expect([name, callersOf(name)]).toEqual([name, ['console']]);
});

it('lets only an ingress make calls without an actor token, and only those that PERMISSIONS names', async () => {
  const server = await startServer(LedgerServiceService);
  const withoutToken = async (role: string, path: string) =>
    status[(await call(clientOf(server, roleFiles(role)), path)).code];
  for (const [path, permission] of Object.entries(PERMISSIONS)) {
    if (permission === 'caller' || permission.ingress !== true) continue;
    expect([path, await withoutToken('ingress', path)]).toEqual([path, 'UNIMPLEMENTED']);
    expect([path, await withoutToken('console', path)]).toEqual([path, 'UNAUTHENTICATED']);
  }
});

it('requires the token of a caller of several roles that is not an ingress', async () => {
  const files = authority.issue('both', ['DNS:tollgate-ledger.tollgate.svc', 'DNS:tollgate-console.tollgate.svc']);
  const client = clientOf(await startServer(LedgerServiceService), files);
  expect(await call(client, LedgerServiceService.getBalance.path)).toEqual({
    code: status.UNAUTHENTICATED,
    details: 'only an ingress may make this call without an actor token',
  });
});

it('says who may make a call, and by which name', async () => {
  const client = clientOf(await startServer(LedgerServiceService), roleFiles('ingress'));
  expect(await call(client, '/tollgate.ledger.v1.LedgerService/Deposit')).toEqual({
    code: status.PERMISSION_DENIED,
    details:
      "Deposit is allowed for console only: the client's certificate must have the DNS name " +
      'tollgate-console.tollgate.svc',
  });
});

it('refuses a method that no rule names, from every caller', async () => {
  const { getRoutes } = RouterServiceService;
  const server = await startServer({ renamed: { ...getRoutes, path: '/tollgate.router.v1.RouterService/NewCall' } });
  const result = await call(clientOf(server, roleFiles('console')), '/tollgate.router.v1.RouterService/NewCall');
  expect(result).toEqual({ code: status.PERMISSION_DENIED, details: 'NewCall is not allowed for any caller' });
});

it.each([
  ['no role', []],
  ['the role of another release', ['DNS:other-console.other.svc']],
  ['the role in its common name alone', [], 'tollgate-console.tollgate.svc'],
  ['a wildcard', ['DNS:*.tollgate.svc']],
  ['the role as another kind of name', ['URI:tollgate-console.tollgate.svc', 'email:x@tollgate-console.tollgate.svc']],
])('refuses a certificate with %s', async (_, alternatives, commonName = 'other') => {
  const server = await startServer(RouterServiceService);
  const client = clientOf(server, authority.issue('other', alternatives, commonName));
  const { code } = await call(client, RouterServiceService.getRoutes.path);
  expect(status[code]).toBe('PERMISSION_DENIED');
  const { code: health } = await call(client, HEALTH_CHECK);
  expect(status[health]).toBe('PERMISSION_DENIED');
});

it('uses plain names by default, and lets its health and reflection be called', async () => {
  const server = await startServer(RouterServiceService, { GRPC_TLS_CLIENT_NAME: undefined });
  const client = clientOf(server, authority.issue('plain', ['DNS:console']));
  expect(status[(await call(client, RouterServiceService.getRoutes.path)).code]).toBe('UNIMPLEMENTED');
  expect(status[(await call(client, HEALTH_CHECK)).code]).toBe('OK');
  const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  expect(status[(await call(client, reflection)).code]).not.toBe('PERMISSION_DENIED');
});

it('refuses a setting that gives all callers the same name', () => {
  expect(() => grpcTls({ ...serverFiles, GRPC_TLS_CLIENT_NAME: 'tollgate.svc' })).toThrow(
    /^GRPC_TLS_CLIENT_NAME: must contain \{role\}/,
  );
});
