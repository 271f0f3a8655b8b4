import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, type Stack, startStack } from '@tollgate/local';
import { startSimulator } from '@tollgate/simulator/testing/start-simulator';
import { shiftableClocks } from '@tollgate/test-support/clock/shift-clock';
import { testCatalogue } from '@tollgate/test-support/gateway/catalogue';
import { PROVIDER_KEY } from '@tollgate/test-support/gateway/gateway';
import { shiftableClock } from '@tollgate/test-support/stores/database-clock';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import pg from 'pg';
import { Clocks } from './clocks.ts';
import { Disturbances } from './disturbances.ts';
import { DumpRedis } from './dump-redis.ts';
import { Links } from './links.ts';
import { Operator } from './operator.ts';
import { Processes } from './processes.ts';
import { Requests } from './requests.ts';
import { World } from './world.ts';

/** Short, because many outages must fit into a run; all other times scale with it. */
const TRUST_MS = 1_200;
/** The application name of auth's database connections. */
const AUTH_APPLICATION = 'tollgate-auth';

export interface SystemOptions {
  ingresses: number;
  auths: number;
  /** The checkout that a process is started from; this one by default. */
  checkoutOf?: (service: string) => string | undefined;
  /** Settings for all services; they override those of these tests. */
  env?: Record<string, string>;
  /** Whether an ingress connects to an auth; to every one by default. */
  knows?: (ingress: string, auth: string) => boolean;
}

/** All services as real processes with their own Postgres and Redis, and a link in each connection. */
export interface System {
  stack: Stack;
  /** A world of the named ingresses, whose operator calls the named auths; of all by default. */
  world: (ingresses?: readonly string[], auths?: readonly string[]) => World;
  stop: () => Promise<void>;
}

export async function startSystem(options: SystemOptions): Promise<System> {
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const disturbances = new Disturbances();
    const redis = await DumpRedis.start(disturbances);
    stops.push(() => redis.stop());
    const links = new Links(disturbances);
    stops.push(() => links.close());
    const simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: () => undefined });
    stops.push(() => simulator.stop(0));
    const folder = makeTemporaryFolder();
    stops.push(folder.remove);
    const clockFolder = join(folder.path, 'clocks');
    mkdirSync(clockFolder);
    const catalogue = join(folder.path, 'catalogue.json');
    const deadUrl = `http://127.0.0.1:${await findFreePort()}`;
    writeFileSync(catalogue, testCatalogue({ simulatorUrl: simulator.url, deadUrl }));
    const stack = await startStack({
      data: join(folder.path, 'data'),
      catalogue,
      ingresses: options.ingresses,
      auths: options.auths,
      redis: redis.url,
      route: async (from, to, address) =>
        options.knows?.(from, to) === false ? undefined : links.route(from, to, address),
      checkoutOf: options.checkoutOf,
      quiet: true,
      env: {
        TEST_PROVIDER_KEY: PROVIDER_KEY,
        BILLING_REQUESTS_PER_MINUTE: '1000000',
        TRUST_MS: String(TRUST_MS),
        // Clients constantly send dead keys from one address.
        UNKNOWN_KEYS_BURST: '0',
        LOG_LEVEL: 'warn',
        ...shiftableClocks(clockFolder),
        ...options.env,
      },
    });
    stops.push(stack.stop);
    const { grpc, base_urls: urls } = stack.facts;
    const processes = new Processes(stack, disturbances);
    const clocks = new Clocks({
      folder: clockFolder,
      database: await shiftableClock(stack.facts.database_url, AUTH_APPLICATION),
      ports: new Map([
        ...[...named('auth', grpc.auths)].map(([name, address]) => [name, address.split(':')[1] ?? ''] as const),
        ...[...named('ingress', urls)].map(([name, url]) => [name, new URL(url).port] as const),
      ]),
      pidOf: (name) => stack.facts.pids[name],
      disturbances,
    });
    await reconnect(stack.facts.database_url, AUTH_APPLICATION);
    const world = (ingresses?: readonly string[], auths?: readonly string[]) => {
      const operator = new Operator({ auths: named('auth', grpc.auths, auths), ledger: grpc.ledger });
      stops.push(() => operator.close());
      const requests = new Requests(named('ingress', urls, ingresses));
      stops.push(() => requests.close());
      return new World({ requests, operator, redis, links, processes, clocks, disturbances, trustMs: TRUST_MS });
    };
    return { stack, world, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Closes the database connections of a service; a changed setting applies to those that it opens next. */
async function reconnect(databaseUrl: string, applicationName: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
      applicationName,
    ]);
  } finally {
    await client.end();
  }
}

/** Addresses by name (`auth`, `auth-2` ...), of all or of the named processes. */
function named(kind: string, addresses: readonly string[], names?: readonly string[]): Map<string, string> {
  const all = addresses.map((address, index) => [index === 0 ? kind : `${kind}-${index + 1}`, address] as const);
  return new Map(all.filter(([name]) => names === undefined || names.includes(name)));
}
