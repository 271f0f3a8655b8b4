import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { findFreePort } from '@tollgate/local';
import { makeTemporaryFolder, type RedisServerProcess, startRedisServerWith } from '@tollgate/test/support';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { KeyCache } from '../keys/index.ts';
import { createLogger } from '../logging.ts';
import { createRedis, type RedisClient } from './client.ts';

const silent = createLogger('test', 'silent');
const SLOTS = 16_384;
const WAIT = { timeout: 20_000, interval: 20 };
const SHA256 = 'ab'.repeat(32);

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

function open(url: string): RedisClient {
  const client = createRedis({ url, connectionName: 'test', commandTimeoutMs: 1_000 }, silent);
  stops.push(() => client.disconnect());
  return client;
}

/** Fills and reads the records of keys of several accounts, which lie on several nodes. */
async function holdsRecords(client: RedisClient, accounts: readonly string[]): Promise<void> {
  const cache = new KeyCache(client);
  for (const accountTag of accounts) {
    const key = {
      keyId: 'k',
      keyName: 'n',
      accountId: 'a',
      accountTag,
      expiresAtMs: 0,
      allowedModels: [],
      caps: undefined,
      revision: 1n,
      discountPpm: 0,
      accountRevision: 1n,
      limits: undefined,
      accountLimits: undefined,
      tags: {},
    };
    expect(await cache.endFill(await cache.beginFill(accountTag), SHA256, key)).toBe(true);
    expect(await cache.read(accountTag, SHA256)).toEqual({ kind: 'live', key });
    await cache.bury(accountTag, SHA256);
    expect(await cache.read(accountTag, SHA256)).toEqual({ kind: 'dead' });
  }
}

const isReady = (client: RedisClient) => vi.waitFor(() => expect(client.status).toBe('ready'), WAIT);

describe('a client of Redis', () => {
  it('finds each account on its node of a Redis Cluster, whose scripts run there', async () => {
    const nodes: RedisServerProcess[] = [];
    const buses: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const bus = await findFreePort();
      buses.push(bus);
      nodes.push(await startServer(temporaryFolder(), ['--cluster-enabled', 'yes', '--cluster-port', String(bus)]));
    }
    await joinCluster(nodes, buses);
    const [first, second] = nodes;
    const several = open(`${first?.url},${second?.url}`);
    await isReady(several);
    await holdsRecords(several, ['aaaaaa', 'bbbbbb', 'cccccc', 'dddddd', 'eeeeee', 'ffffff']);
    const one = open(`${first?.url}?cluster=true`);
    await isReady(one);
    await holdsRecords(one, ['gggggg', 'hhhhhh']);
    const counts = await Promise.all(nodes.map((node) => countKeys(node)));
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(1);
  }, 40_000);

  it('follows Sentinels to the server that they name, also after a failover', async () => {
    const primary = await startServer(temporaryFolder());
    const replica = await startServer(temporaryFolder(), ['--replicaof', '127.0.0.1', String(primary.port)]);
    const watched = [
      `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds main 500',
      'sentinel failover-timeout main 2000',
    ];
    const sentinel = await startRedisServerWith({
      port: await findFreePort(),
      folder: temporaryFolder(),
      sentinel: watched.join('\n'),
    });
    stops.push(sentinel.kill);
    const client = open(`redis+sentinel://127.0.0.1:${sentinel.port}/main`);
    await isReady(client);
    await holdsRecords(client, ['aaaaaa']);
    await knowsReplica(sentinel);
    await primary.kill();
    const direct = new Redis(replica.url);
    stops.push(() => direct.disconnect());
    await vi.waitFor(async () => expect(await client.set('after', 'failover')).toBe('OK'), WAIT);
    expect(await direct.get('after')).toBe('failover');
  }, 60_000);

  it('speaks TLS where the URL says so, and trusts only whom the process trusts', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const port = await startTls(folder, server.port);
    const stranger = open(`rediss://localhost:${port}`);
    await vi.waitFor(() => expect(stranger.status).toBe('reconnecting'), WAIT);
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, readFileSync(join(folder, 'cert.pem'), 'utf8')]);
    stops.push(() => setDefaultCACertificates(before));
    const client = open(`rediss://localhost:${port}`);
    await isReady(client);
    await holdsRecords(client, ['aaaaaa']);
  });

  it('leaves a server that has become a replica, and finds the one that takes writes at the same address', async () => {
    const primary = await startServer(temporaryFolder());
    const next = await startServer(temporaryFolder());
    const address = await startSwitch(primary.port);
    const client = open(`redis://127.0.0.1:${address.port}`);
    await isReady(client);
    expect(await client.set('a', '1')).toBe('OK');
    address.to = next.port;
    const direct = new Redis(primary.url);
    stops.push(() => direct.disconnect());
    await direct.replicaof('127.0.0.1', String(next.port));
    await vi.waitFor(async () => expect(await client.set('b', '2')).toBe('OK'), WAIT);
  });
});

async function joinCluster(nodes: readonly RedisServerProcess[], buses: readonly number[]): Promise<void> {
  const clients = nodes.map((node) => new Redis(node.url));
  const [first] = nodes;
  const share = Math.ceil(SLOTS / nodes.length);
  for (const [index, client] of clients.entries()) {
    await client.cluster('ADDSLOTSRANGE', index * share, Math.min((index + 1) * share, SLOTS) - 1);
    if (index > 0) await client.cluster('MEET', '127.0.0.1', first?.port ?? 0, buses[0] ?? 0);
  }
  for (const client of clients) {
    await vi.waitFor(async () => expect(await client.cluster('INFO')).toMatch(/cluster_state:ok/), WAIT);
    client.disconnect();
  }
}

async function countKeys({ url }: RedisServerProcess): Promise<number> {
  const client = new Redis(url);
  const count = await client.dbsize();
  client.disconnect();
  return count;
}

async function knowsReplica({ url }: RedisServerProcess): Promise<void> {
  const client = new Redis(url);
  await vi.waitFor(async () => expect(await client.call('SENTINEL', 'REPLICAS', 'main')).toHaveLength(1), WAIT);
  client.disconnect();
}

/** Ends TLS before a server, with a certificate of its own for `localhost`, left in the folder. */
async function startTls(folder: string, port: number): Promise<number> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const form = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...form, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    const target = connect({ port, host: '127.0.0.1' });
    socket.pipe(target).pipe(socket);
    for (const end of [socket, target]) end.on('error', () => end.destroy());
    socket.on('close', () => target.destroy());
  });
  server.on('tlsClientError', () => undefined);
  return listen(server);
}

/** An address behind which another server can be put: connections that are open stay with theirs. */
async function startSwitch(to: number): Promise<{ port: number; to: number }> {
  const place = { port: 0, to };
  const server = createTcpServer((socket) => {
    const target = connect({ port: place.to, host: '127.0.0.1' });
    socket.pipe(target).pipe(socket);
    for (const end of [socket, target]) end.on('error', () => end.destroy());
    socket.on('close', () => target.destroy());
  });
  place.port = await listen(server);
  return place;
}

async function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return address.port;
}
