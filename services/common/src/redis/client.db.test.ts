import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { findFreePort, findFreePorts } from '@tollgate/local';
import { type Certificate, makeCertificate } from '@tollgate/test-support/stores/certificate';
import { type RedisCluster, startRedisCluster } from '@tollgate/test-support/stores/redis-cluster';
import { type RedisServerProcess, startRedisServerWith } from '@tollgate/test-support/stores/redis-server';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { holdsLimits, holdsRecords, newTags } from '../../testing/redis-promises.ts';
import { LimitStore } from '../limits/index.ts';
import { createLogger } from '../logging.ts';
import { createRedis, type RedisClient } from './client.ts';

const silent = createLogger('test', 'silent');
/** Far longer than a command takes on a busy machine. */
const COMMAND_TIMEOUT_MS = 5_000;
const WAIT = { timeout: 30_000, interval: 20 };
/** A user of the servers, and the part of a URL that names it. */
const USER = ['tollgate', 'on', '>p@ss', '~*', '&*', '+@all'];
const LOGIN = 'tollgate:p%40ss';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function temporaryFolder(): string {
  const folder = makeTemporaryFolder();
  stops.push(folder.remove);
  return folder.path;
}

async function startServer(folder: string, args: readonly string[] = []): Promise<RedisServerProcess> {
  const server = await startRedisServerWith({ port: await findFreePort(), folder, args });
  stops.push(server.kill);
  return server;
}

async function startCluster(): Promise<RedisCluster> {
  const cluster = await startRedisCluster();
  stops.push(cluster.stop);
  return cluster;
}

function open(url: string): RedisClient {
  const client = createRedis({ url, connectionName: 'test', commandTimeoutMs: COMMAND_TIMEOUT_MS }, silent);
  stops.push(() => client.disconnect());
  return client;
}

/** A client of the test's own. */
function direct({ url }: RedisServerProcess): Redis {
  const client = new Redis(url);
  stops.push(() => client.disconnect());
  return client;
}

const isReady = (client: RedisClient) => vi.waitFor(() => expect(client.status).toBe('ready'), WAIT);
const whoAmI = (client: RedisClient) => client.call('ACL', 'WHOAMI');

/** Has this process trust a certificate for the time of a test. */
function trust({ cert }: Certificate): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, readFileSync(cert, 'utf8')]);
  stops.push(() => setDefaultCACertificates(before));
}

function tlsArguments(tlsPort: number, { key, cert }: Certificate): string[] {
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
  return ['--tls-port', String(tlsPort), ...files, '--tls-auth-clients', 'no', '--tls-replication', 'yes'];
}

describe('a client of Redis', () => {
  it('finds each account on its node of a Redis Cluster, whose scripts run there', async () => {
    const { nodes } = await startCluster();
    const client = open(`${nodes[0]?.url},${nodes[1]?.url}`);
    await isReady(client);
    await holdsRecords(client);
    await holdsLimits(client);
    for (const node of nodes) expect(await direct(node).dbsize()).toBeGreaterThan(0);
    // Commands for a lost node fail soon; the other nodes respond.
    await nodes[2]?.kill();
    const outcomes = await Promise.all(newTags(40).map((accountTag) => outcomeOf(client, accountTag)));
    expect(new Set(outcomes.map(({ failed }) => failed))).toEqual(new Set([true, false]));
    for (const { ms } of outcomes) expect(ms).toBeLessThan(COMMAND_TIMEOUT_MS / 2);
  });

  it('finds all nodes of a Redis Cluster by one, over TLS and with a login', async () => {
    const { nodes, tlsAddresses, certificate } = await startCluster();
    for (const node of nodes) await direct(node).call('ACL', 'SETUSER', ...USER);
    trust(certificate);
    const client = open(`rediss://${LOGIN}@${tlsAddresses[0]}?cluster=true`);
    await isReady(client);
    await holdsRecords(client);
    await holdsLimits(client);
    expect(await whoAmI(client)).toBe('tollgate');
    for (const node of nodes) expect(await direct(node).dbsize()).toBeGreaterThan(0);
  });

  it('follows Sentinels to the server that they name, over TLS and with a login, also after a failover', async () => {
    const folder = temporaryFolder();
    const certificate = makeCertificate(folder);
    const ports = await findFreePorts(3);
    const [ofPrimary = 0, ofReplica = 0, ofSentinel = 0] = ports;
    const args = ['--user', ...USER, '--replica-announce-ip', 'localhost', '--repl-diskless-sync-delay', '0'];
    const primary = await startServer(folder, [...args, ...tlsArguments(ofPrimary, certificate)]);
    const following = ['--replicaof', 'localhost', String(ofPrimary)];
    const replica = await startServer(folder, [...args, ...tlsArguments(ofReplica, certificate), ...following]);
    const sentinel = await startRedisServerWith({
      port: await findFreePort(),
      folder,
      sentinel: sentinelFile(ofPrimary, tlsArguments(ofSentinel, certificate)),
    });
    stops.push(sentinel.kill);
    trust(certificate);
    const client = open(`rediss+sentinel://${LOGIN}@localhost:${ofSentinel}/main`);
    await isReady(client);
    await holdsRecords(client);
    await holdsLimits(client);
    await knowsReplica(sentinel);
    // Not before: a primary that is only slow would be given up.
    await direct(sentinel).call('SENTINEL', 'SET', 'main', 'down-after-milliseconds', '500');
    await primary.kill();
    await vi.waitFor(async () => expect(await client.set('after', 'failover')).toBe('OK'), WAIT);
    expect(await direct(replica).get('after')).toBe('failover');
    await holdsRecords(client);
    await holdsLimits(client);
    expect(await whoAmI(client)).toBe('tollgate');
  });

  it('speaks TLS where the URL says so, and trusts only whom the process trusts', async () => {
    const folder = temporaryFolder();
    const certificate = makeCertificate(folder);
    const port = await findFreePort();
    await startServer(folder, tlsArguments(port, certificate));
    const untrusting = open(`rediss://localhost:${port}`);
    await vi.waitFor(() => expect(untrusting.status).toBe('reconnecting'), WAIT);
    trust(certificate);
    const client = open(`rediss://localhost:${port}`);
    await isReady(client);
    await holdsRecords(client);
    await holdsLimits(client);
  });

  it('leaves a server that has become a replica, and finds the one that takes writes at the same address', async () => {
    const primary = await startServer(temporaryFolder());
    const next = await startServer(temporaryFolder());
    const address = await startSwitch(primary.port);
    const client = open(`redis://127.0.0.1:${address.port}`);
    await isReady(client);
    expect(await client.set('a', '1')).toBe('OK');
    address.to = next.port;
    await direct(primary).replicaof('127.0.0.1', String(next.port));
    await vi.waitFor(async () => expect(await client.set('b', '2')).toBe('OK'), WAIT);
  });
});

/** Whether a take fails, and how soon that is known. */
async function outcomeOf(client: RedisClient, accountTag: string): Promise<{ failed: boolean; ms: number }> {
  const beganAt = performance.now();
  const bucket = { bucket: 'key:requests', perMinute: 60, size: 10, amount: 1 };
  const failed = await new LimitStore(client, 'one').take(accountTag, [bucket], []).then(
    () => false,
    () => true,
  );
  return { failed, ms: performance.now() - beganAt };
}

/** The configuration of a Sentinel that watches one server, as options of a command line. */
function sentinelFile(port: number, args: readonly string[]): string {
  const watched = [
    'sentinel resolve-hostnames yes',
    'sentinel announce-hostnames yes',
    `sentinel monitor main localhost ${port} 1`,
    'sentinel down-after-milliseconds main 60000',
    'sentinel failover-timeout main 2000',
  ];
  const options = args
    .join(' ')
    .split(/(?:^| )--/)
    .slice(1);
  return [...options, ...watched].join('\n');
}

async function knowsReplica({ url }: RedisServerProcess): Promise<void> {
  const client = new Redis(url);
  await vi.waitFor(async () => expect(await client.call('SENTINEL', 'REPLICAS', 'main')).toHaveLength(1), WAIT);
  client.disconnect();
}

/** An address behind which another server can be put: connections that are open stay with theirs. */
async function startSwitch(to: number): Promise<{ port: number; to: number }> {
  const place = { port: 0, to };
  const server = createServer((socket) => {
    const target = connect({ port: place.to, host: '127.0.0.1' });
    socket.pipe(target).pipe(socket);
    for (const end of [socket, target]) end.on('error', () => end.destroy());
    socket.on('close', () => target.destroy());
  });
  place.port = await listen(server);
  return place;
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return address.port;
}
