import { findFreePorts, waitUntil } from '@tollgate/local';
import { Redis } from 'ioredis';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { type Certificate, makeCertificate } from './certificate.ts';
import { type RedisServerProcess, startRedisServerWith } from './redis-server.ts';

const SLOTS = 16_384;
const NODES = 3;
const JOIN_TIMEOUT_MS = 30_000;

/** Three primaries of a Redis Cluster with TLS, each with a third of the slots. */
export interface RedisCluster {
  /** Clients without TLS, for the test's own use. */
  nodes: readonly RedisServerProcess[];
  /** `localhost:port` of each node, for clients with TLS; redirects use the same names. */
  tlsAddresses: readonly string[];
  /** The certificate of the nodes. */
  certificate: Certificate;
  stop: () => Promise<void>;
}

/** Starts a Redis Cluster and waits until it serves all slots. @throws Error if no Redis is available */
export async function startRedisCluster(): Promise<RedisCluster> {
  const folder = makeTemporaryFolder();
  const nodes: RedisServerProcess[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    folder.remove();
  };
  try {
    const certificate = makeCertificate(folder.path);
    const ports = await findFreePorts(NODES * 3);
    const places = Array.from({ length: NODES }, (_, index) => placeOf(ports.slice(index * 3)));
    for (const place of places) {
      const args = argumentsOf(place, certificate);
      nodes.push(await startRedisServerWith({ port: place.port, folder: folder.path, args }));
    }
    await join(places);
    return { nodes, tlsAddresses: places.map(({ tlsPort }) => `localhost:${tlsPort}`), certificate, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Place {
  port: number;
  tlsPort: number;
  /** Address for other nodes. */
  bus: number;
}

function placeOf([port = 0, tlsPort = 0, bus = 0]: readonly number[]): Place {
  return { port, tlsPort, bus };
}

function argumentsOf({ port, tlsPort, bus }: Place, { key, cert }: Certificate): string[] {
  return [
    ...['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--cluster-config-file', `nodes-${port}.conf`],
    ...['--cluster-announce-hostname', 'localhost', '--cluster-preferred-endpoint-type', 'hostname'],
    ...['--tls-port', String(tlsPort), '--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert],
    ...['--tls-auth-clients', 'no', '--tls-cluster', 'yes'],
  ];
}

/** Assigns slots to the nodes and connects them. */
async function join(places: readonly Place[]): Promise<void> {
  const clients = places.map(({ port }) => new Redis(port));
  const [first] = places;
  const share = Math.ceil(SLOTS / places.length);
  try {
    for (const [index, client] of clients.entries()) {
      await client.cluster('ADDSLOTSRANGE', index * share, Math.min((index + 1) * share, SLOTS) - 1);
      if (index > 0) await client.call('CLUSTER', 'MEET', '127.0.0.1', first?.port ?? 0, first?.bus ?? 0);
    }
    for (const client of clients) {
      const isWhole = async () => {
        const info = String(await client.cluster('INFO'));
        return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${places.length}\r`);
      };
      await waitUntil(isWhole, { what: 'waiting for the nodes to be a cluster', timeoutMs: JOIN_TIMEOUT_MS });
    }
  } finally {
    for (const client of clients) client.disconnect();
  }
}
