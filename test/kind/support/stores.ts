import { readFileSync } from 'node:fs';
import { makeCertificate } from '@tollgate/test-support/stores/certificate';
import { statementsOfGuide } from '@tollgate/test-support/stores/guide';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { parse } from 'yaml';
import { z } from 'zod';
import { apply, KIND, kubectl } from './cluster.ts';
import type { Target } from './connections.ts';

const NAMESPACE = 'tollgate-stores';
const NAMES = { postgres: `postgres.${NAMESPACE}.svc.cluster.local`, redis: `redis.${NAMESPACE}.svc.cluster.local` };
const PASSWORD = 'a-password-of-the-test';
const TLS = '/etc/tls';

/** A Postgres and a Redis outside of any release, with passwords and their own certificates, like a company's. */
export interface Stores {
  namespace: string;
  /** URL of Postgres with a login of the guide. */
  postgresUrl: (login: string) => string;
  redisUrl: string;
  /** The authority of their certificates, as PEM. */
  authority: string;
  /** Their pods. */
  targets: Target[];
  /** Runs SQL as the administrator. @returns rows of columns separated by `|` */
  sql: (statement: string, database?: string) => Promise<string>;
  remove: () => Promise<void>;
}

/** Starts them in their own namespace and creates the database as described in docs/operations/install.md. */
export async function startStores(): Promise<Stores> {
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const certificate = makeTemporaryFolder();
  const { key, cert } = makeCertificate(certificate.path, Object.values(NAMES));
  const authority = readFileSync(cert, 'utf8');
  await apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'tls', namespace: NAMESPACE },
    stringData: { 'tls.crt': authority, 'tls.key': readFileSync(key, 'utf8') },
  });
  certificate.remove();
  const { postgres, redis } = z
    .object({ evaluation: z.object({ postgres: image, redis: image }) })
    .parse(parse(readFileSync(KIND.values, 'utf8'))).evaluation;
  const targets = await Promise.all([
    startStore('postgres', 5_432, postgres, [
      ...['-c', 'ssl=on', '-c', `ssl_cert_file=${TLS}/tls.crt`, '-c', `ssl_key_file=${TLS}/tls.key`],
    ]),
    startStore('redis', 6_379, redis, [
      ...['redis-server', '--port', '0', '--tls-port', '6379', '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', `${TLS}/tls.crt`, '--tls-key-file', `${TLS}/tls.key`],
      ...['--maxmemory-policy', 'noeviction', '--save', '', '--dir', '/data'],
      ...['--user', 'tollgate', 'on', `>${PASSWORD}`, '~*', '&*', '+@all', '--user', 'default', 'off'],
    ]),
  ]);
  const sql = (statement: string, database = 'postgres') =>
    kubectl(
      ...['--namespace', NAMESPACE, 'exec', 'postgres', '--', 'psql', '--username=postgres', '--host=127.0.0.1'],
      ...['--dbname', database, '--no-align', '--tuples-only', '--set=ON_ERROR_STOP=1', '--command', statement],
    );
  for (const statement of statementsOfGuide(PASSWORD)) await sql(statement);
  return {
    namespace: NAMESPACE,
    postgresUrl: (login) => `postgres://${login}:${PASSWORD}@${NAMES.postgres}:5432/tollgate?sslmode=verify-full`,
    redisUrl: `rediss://tollgate:${PASSWORD}@${NAMES.redis}:6379`,
    authority,
    targets,
    sql,
    remove: async () => void (await kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found')),
  };
}

const image = z.object({ image: z.string(), runAsUser: z.int() });

async function startStore(name: string, port: number, of: z.infer<typeof image>, args: string[]): Promise<Target> {
  const metadata = { name, namespace: NAMESPACE, labels: { store: name } };
  await apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { selector: metadata.labels, ports: [{ port }] },
  });
  await apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      terminationGracePeriodSeconds: 1,
      securityContext: { runAsUser: of.runAsUser, runAsGroup: of.runAsUser, fsGroup: of.runAsUser },
      containers: [
        {
          name,
          image: of.image,
          args,
          env: [
            { name: 'POSTGRES_PASSWORD', value: PASSWORD },
            { name: 'PGPASSWORD', value: PASSWORD },
            { name: 'PGDATA', value: '/data/postgres' },
          ],
          readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
          volumeMounts: [
            { name: 'tls', mountPath: TLS },
            { name: 'data', mountPath: '/data' },
            { name: 'data', mountPath: '/var/run/postgresql', subPath: 'run' },
          ],
        },
      ],
      volumes: [
        { name: 'tls', secret: { secretName: 'tls', defaultMode: 0o440 } },
        { name: 'data', emptyDir: {} },
      ],
    },
  });
  await kubectl('--namespace', NAMESPACE, 'wait', '--for=condition=Ready', `pod/${name}`, '--timeout=120s');
  const ip = await kubectl('--namespace', NAMESPACE, 'get', 'pod', name, '--output=jsonpath={.status.podIP}');
  return { title: name, ip, port };
}
