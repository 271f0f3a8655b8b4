import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FIRST_OPERATOR } from '@tollgate/common/actors/operator';
import { ensureDatabase } from '../postgres/database.ts';
import { type DatabaseUrls, oneLogin, ownLogins } from '../postgres/logins.ts';
import { startPostgresServer } from '../postgres/server.ts';
import type { Child } from '../processes/child.ts';
import { startWatchdog } from '../processes/watchdog.ts';
import { chooseRedis, type RedisSource } from '../redis/choose.ts';
import { redisUrl, startRedisServer, waitForRedis } from '../redis/server.ts';
import { ensureActorKeys } from './actor-keys.ts';
import { type Addresses, chooseAddresses, grpcPlace, httpUrl, webhooksUrl } from './addresses.ts';
import { acceptsKey, modelIds } from './call.ts';
import { ensureDemoAccount } from './demo-account.ts';
import { sendDemoRequests } from './demo-requests.ts';
import { ensureFirstOperator } from './first-operator.ts';
import { type DataLock, lockData } from './lock.ts';
import { type LogWriter, openLogs } from './logs.ts';
import { ensureManagementKey } from './management-key.ts';
import { runMigrations } from './migrations.ts';
import {
  type BaseOptions,
  CHECKOUT,
  describeServices,
  describeStandIn,
  numbered,
  type ServiceOptions,
  type Services,
} from './services.ts';
import { type Part, Supervisor } from './supervisor.ts';
import type { Facts, Stack, StackOptions } from './types.ts';

const DATABASE_STOP_MS = 15_000;
const MAX_INGRESSES = 64;
const MAX_LEDGERS = 8;
const MAX_AUTHS = 16;

/** Receives the progress of the start and every line of every process. */
export interface StartListener {
  /** The data folder is locked: remains of an earlier run may be removed. */
  onBegin?: () => void;
  onStep: (text: string) => void;
  onLine: (service: string, line: string) => void;
}

/**
 * Starts everything as processes of this machine, on loopback, and waits until it is ready. A failed start leaves no
 * process running.
 */
export async function startStack(options: StackOptions, listener?: StartListener): Promise<Stack> {
  const ingresses = options.ingresses ?? 1;
  if (!Number.isInteger(ingresses) || ingresses < 1 || ingresses > MAX_INGRESSES)
    throw new Error(`the number of ingresses must be 1 to ${MAX_INGRESSES}`);
  const ledgers = options.ledgers ?? 1;
  if (!Number.isInteger(ledgers) || ledgers < 1 || ledgers > MAX_LEDGERS)
    throw new Error(`the number of ledgers must be 1 to ${MAX_LEDGERS}`);
  const auths = options.auths ?? 1;
  if (!Number.isInteger(auths) || auths < 1 || auths > MAX_AUTHS)
    throw new Error(`the number of auths must be 1 to ${MAX_AUTHS}`);
  if (options.sockets === true && (auths > 1 || options.sharedLedgers === true || options.route !== undefined))
    throw new Error('sockets require one auth, ledgers that are not shared, and no route');
  if (options.payments !== undefined && options.console === undefined) throw new Error('payments require the console');
  const data = resolve(options.data);
  const redis = chooseRedis(options.redis ?? 'any', ingresses);
  const lock = lockData(data);
  try {
    listener?.onBegin?.();
    const addresses = await chooseAddresses(
      options.port,
      { ingresses, auths, ledgers },
      { console: options.console?.port, webhooks: options.payments?.port },
    );
    return await new Starter(options, data, redis, addresses, lock, listener).start();
  } catch (error) {
    lock.release();
    throw error;
  }
}

class Starter {
  readonly #options: StackOptions;
  readonly #data: string;
  readonly #redis: RedisSource;
  readonly #addresses: Addresses;
  readonly #lock: DataLock;
  readonly #listener: StartListener | undefined;
  readonly #supervisor = new Supervisor();
  readonly #watchdog = startWatchdog();
  readonly #logs: LogWriter;
  readonly #env: NodeJS.ProcessEnv;
  /** Stopped group by group, the last one first. */
  readonly #stopOrder: string[][] = [];
  readonly #sockets: string | undefined;
  /** Created at every start, because this Redis keeps nothing. */
  readonly #redisPassword = randomBytes(18).toString('hex');
  #givenUp = false;

  constructor(
    options: StackOptions,
    data: string,
    redis: RedisSource,
    addresses: Addresses,
    lock: DataLock,
    listener: StartListener | undefined,
  ) {
    this.#options = options;
    this.#data = data;
    this.#redis = redis;
    this.#addresses = addresses;
    this.#lock = lock;
    this.#listener = listener;
    this.#logs = openLogs(join(data, 'logs'));
    this.#env = { ...process.env, ...options.env };
    // Outside of the data folder, whose path may exceed the limit for sockets. No other user can enter it.
    this.#sockets = options.sockets === true ? mkdtempSync(join(tmpdir(), 'tollgate-')) : undefined;
  }

  async start(): Promise<Stack> {
    const running = this.#run();
    try {
      const facts = await Promise.race([running, abortOf(this.#options.signal), this.#deathWhileStarting()]);
      return this.#stack(facts);
    } catch (error) {
      this.#givenUp = true;
      // Ends what is starting, and the waits for it.
      await this.#watchdog.fire();
      await Promise.allSettled([running]);
      await this.#stop();
      throw error;
    }
  }

  async #deathWhileStarting(): Promise<never> {
    const death = await this.#supervisor.died;
    throw new Error(`${death.service} ${death.how} while the others started:\n${death.lastLines.join('\n')}`);
  }

  async #run(): Promise<Facts> {
    const [databaseUrls, redisUrl] = await allOrFirstFailure([this.#startDatabase(), this.#startRedis()]);
    if (this.#options.migrated !== true) {
      this.#step('bringing the database up to date');
      await runMigrations(databaseUrls, this.#env, this.#options.databaseUrl === undefined ? this.#data : undefined);
    }

    const catalogue = resolve(this.#options.catalogue ?? join(CHECKOUT, 'deploy/catalogue/simulated.yaml'));
    const services = describeServices({
      ...this.#baseOptions(),
      catalogue,
      sharedLedgers: this.#options.sharedLedgers ?? false,
      databaseUrls,
      actorKeys: ensureActorKeys(this.#data),
      hasConsole: this.#options.console !== undefined,
      hasPayments: this.#options.payments !== undefined,
      ...(await this.#routes(redisUrl)),
    });
    const simulated = readFileSync(catalogue, 'utf8').includes('SIMULATOR_URL');
    const hasPayments = this.#options.payments !== undefined;
    const inner = [
      ...services.auths,
      ...services.ledgers,
      services.router,
      ...(simulated ? [services.simulator] : []),
      ...(hasPayments && services.stripeSimulator !== undefined ? [services.stripeSimulator] : []),
    ];
    this.#step(`starting ${inner.map((part) => part.name).join(', ')}`);
    await this.#startAll(inner);
    const grpc = this.#grpcAddresses();
    const password = await ensureFirstOperator(this.#data, grpc.auth);
    const outer = services.ingresses.length === 1 ? 'ingress' : `${services.ingresses.length} ingresses`;
    this.#step(`starting ${outer}${hasPayments ? ', payments' : ''}`);
    await this.#startAll([...services.ingresses, ...(hasPayments ? [services.payments] : [])]);
    if (this.#options.console !== undefined) {
      this.#step('starting the console');
      await this.#startAll([services.console]);
    }

    this.#step('waiting for the first response');
    const baseUrls = this.#addresses.ingress.map(httpUrl);
    const baseUrl = baseUrls[0] ?? '';
    const works = (key: string) => acceptsKey(baseUrl, key);
    const key = await ensureDemoAccount({ data: this.#data, auth: grpc.auth, ledger: grpc.ledger, works });
    const consoleUrl = httpUrl(this.#addresses.console);
    const models = await modelIds(baseUrl, key);
    if (this.#options.console !== undefined && simulated) {
      this.#step('sending requests for the console to show');
      const demo = { data: this.#data, auth: grpc.auth, ledger: grpc.ledger, baseUrl, models };
      await sendDemoRequests(demo).catch((error: unknown) => this.#step(`not all of them were sent: ${String(error)}`));
    }
    return {
      base_url: baseUrl,
      base_urls: baseUrls,
      api_key: key,
      models,
      grpc,
      ...(this.#options.console === undefined
        ? {}
        : {
            console: {
              url: consoleUrl,
              operator_email: FIRST_OPERATOR,
              operator_password: password,
              management_key: await ensureManagementKey({ data: this.#data, auth: grpc.auth, consoleUrl }),
            },
          }),
      ...(this.#options.payments === undefined ? {} : { payments: this.#paymentsFacts(services) }),
      database_url: databaseUrls.admin,
      redis_url: redisUrl,
      pids: this.#supervisor.pids(),
    };
  }

  #grpcAddresses(): Facts['grpc'] {
    const addressOf = (name: string, port: number) => grpcPlace(name, port, this.#sockets).address;
    const ledgers = this.#addresses.ledgers.map((port, index) => addressOf(numbered('ledger', index), port));
    const auths = this.#addresses.auths.map((port, index) => addressOf(numbered('auth', index), port));
    const [auth = ''] = auths;
    const [ledger = ''] = ledgers;
    return { auth, auths, ledger, ledgers, router: addressOf('router', this.#addresses.router) };
  }

  #paymentsFacts({ stripeSimulator }: Services): NonNullable<Facts['payments']> {
    const { payments, webhooks, stripeSimulator: port } = this.#addresses;
    return {
      webhooks_url: webhooksUrl(webhooks),
      grpc: grpcPlace('payments', payments, this.#sockets).address,
      ...(stripeSimulator === undefined ? {} : { stripe_simulator_url: httpUrl(port) }),
    };
  }

  /** Proxies through which ingress and auth processes reach their dependencies. */
  async #routes(redisUrl: string): Promise<Pick<ServiceOptions, 'redisUrls' | 'authAddresses'>> {
    const { route } = this.#options;
    const auths = this.#addresses.auths.map((_, index) => numbered('auth', index));
    const ingresses = this.#addresses.ingress.map((_, index) => numbered('ingress', index));
    const redisUrls = new Map<string, string>();
    for (const name of [...auths, ...ingresses]) {
      const url = new URL(redisUrl.split(',')[0] ?? '');
      if (route !== undefined) url.host = (await route(name, 'redis', url.host)) ?? url.host;
      redisUrls.set(name, route === undefined ? redisUrl : url.href);
    }
    const authAddresses = new Map<string, string[]>();
    for (const name of ingresses) {
      const addresses: string[] = [];
      for (const [index, auth] of auths.entries()) {
        const { address } = grpcPlace(auth, this.#addresses.auths[index] ?? 0, this.#sockets);
        const through = route === undefined ? address : await route(name, auth, address);
        if (through !== undefined) addresses.push(through);
      }
      authAddresses.set(name, addresses);
    }
    return { redisUrls, authAddresses };
  }

  async #startDatabase(): Promise<DatabaseUrls> {
    if (this.#options.databaseUrl !== undefined) return oneLogin(this.#options.databaseUrl);
    this.#step('starting Postgres');
    let url = '';
    await this.#startAll([
      {
        name: 'postgres',
        stopGraceMs: DATABASE_STOP_MS,
        launch: async () => {
          const server = await startPostgresServer({
            folder: this.#data,
            durable: true,
            watchdog: this.#watchdog,
            port: this.#addresses.database,
            maxConnections: 200,
            onLine: (line) => this.#onLine('postgres', line),
          });
          url = server.url;
          return server.child;
        },
      },
    ]);
    return ownLogins(await ensureDatabase(url, 'tollgate'));
  }

  async #startRedis(): Promise<string> {
    const source = this.#redis;
    if (source.kind === 'url') return source.url;
    const port = this.#addresses.redis;
    const password = this.#redisPassword;
    if (source.kind === 'stand-in') {
      this.#step('starting the stand-in for Redis (no redis-server was found)');
      const ready = (child: Child) => waitForRedis(port, child, password);
      await this.#startAll([describeStandIn(this.#baseOptions(), password, ready)]);
    } else {
      this.#step('starting Redis');
      const onLine = (line: string) => this.#onLine('redis', line);
      const options = { program: source.path, watchdog: this.#watchdog, port, onLine, password, folder: this.#data };
      const launch = async () => (await startRedisServer(options)).child;
      await this.#startAll([{ name: 'redis', stopGraceMs: 5_000, launch }]);
    }
    return redisUrl(port, password);
  }

  /** Starts these concurrently. They are stopped together, before all that were started earlier. */
  async #startAll(parts: Part[]): Promise<void> {
    if (this.#givenUp) throw new Error('the start was aborted');
    this.#stopOrder.unshift(parts.map((part) => part.name));
    await allOrFirstFailure(parts.map((part) => this.#supervisor.start(part)));
  }

  #stack(facts: Facts): Stack {
    return {
      facts,
      logs: this.#logs,
      died: this.#supervisor.died,
      stop: once(() => this.#stop()),
      kill: (service) => this.#supervisor.kill(service),
      restart: async (service) => {
        await this.#supervisor.restart(service);
        facts.pids = this.#supervisor.pids();
      },
      abandon: () => this.#supervisor.abandon(),
    };
  }

  async #stop(): Promise<void> {
    for (const names of this.#stopOrder) await this.#supervisor.stop(names);
    await this.#watchdog.close();
    await this.#logs.close();
    if (this.#sockets !== undefined) rmSync(this.#sockets, { recursive: true, force: true });
    this.#lock.release();
  }

  #baseOptions(): BaseOptions {
    return {
      addresses: this.#addresses,
      data: this.#data,
      sockets: this.#sockets,
      env: this.#env,
      checkoutOf: this.#options.checkoutOf,
      bundled: this.#options.bundled === true,
      watchdog: this.#watchdog,
      onLine: (service, line) => this.#onLine(service, line),
    };
  }

  #onLine(service: string, line: string): void {
    this.#logs.write(service, line);
    // Later errors, caused by the first, would hide its reason.
    if (!this.#givenUp) this.#listener?.onLine(service, line);
  }

  #step(text: string): void {
    this.#listener?.onStep(text);
  }
}

/** Like Promise.all, but rejects only after all have settled, so that nothing continues in the background. */
async function allOrFirstFailure<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function abortOf(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal?.aborted === true) reject(signal.reason);
  });
}

/** Calls a function once and returns the same promise each time. */
function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= run();
    return running;
  };
}
