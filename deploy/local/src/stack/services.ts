import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DatabaseUrls } from '../postgres/logins.ts';
import { startChild } from '../processes/child.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import type { ActorKeys } from './actor-keys.ts';
import { type Addresses, grpcPlace, httpUrl, webhooksUrl } from './addresses.ts';
import { findMimalloc } from './mimalloc.ts';
import { waitForGrpc, waitForHttp } from './ready.ts';
import type { Part } from './supervisor.ts';

/** The root of the checkout. */
export const CHECKOUT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Added to the services' own time limit. */
const STOP_MARGIN_MS = 3_000;
/** Default of SHUTDOWN_GRACE_MS. */
const DEFAULT_GRACE_MS = 5_000;

/** As in the images: a second memory pool of the C library keeps memory after load. */
const MALLOC_ARENAS = '1';

/** As in the image of the ingress: V8 lets the young generation grow to 64 MiB where there is memory, which takes no less CPU time. */
const YOUNG_GENERATION = '--max-semi-space-size=32';

/** Variables for a single process; passed to all of them, they would clash or leak. */
const NOT_PASSED_ON = [
  'PORT',
  'GRPC_PORT',
  'GRPC_SOCKET',
  'METRICS_PORT',
  'LISTEN_HOST',
  'DATABASE_URL',
  'REDIS_URL',
  'JOURNAL_DIR',
  'ACTOR_SIGNING_KEY',
  'ACTOR_PUBLIC_KEYS',
];

/** It has no image, so it always runs from its sources. */
const STRIPE_SIMULATOR = 'services/stripe-simulator/src/main.ts';

/** Environment of every process. */
export interface BaseOptions {
  addresses: Addresses;
  data: string;
  /** Folder of the Unix sockets for gRPC; undefined for ports. */
  sockets: string | undefined;
  /** This process's environment with the caller's overrides. */
  env: NodeJS.ProcessEnv;
  onLine: (service: string, line: string) => void;
  checkoutOf: ((service: string) => string | undefined) | undefined;
  /** Whether services run from their bundles, not from their sources. */
  bundled: boolean;
  watchdog: Watchdog;
}

export interface ServiceOptions extends BaseOptions {
  catalogue: string;
  /** Whether every ingress uses all ledgers, instead of one each. */
  sharedLedgers: boolean;
  databaseUrls: DatabaseUrls;
  /** Redis and auth addresses of each process, by name. */
  redisUrls: ReadonlyMap<string, string>;
  authAddresses: ReadonlyMap<string, readonly string[]>;
  actorKeys: ActorKeys;
  /** Whether the console runs: it is where customers top up. */
  hasConsole: boolean;
  /** Whether payments runs. */
  hasPayments: boolean;
}

/** The services of a stack, by name, ready to be started. */
export interface Services {
  auths: Part[];
  ledgers: Part[];
  router: Part;
  simulator: Part;
  ingresses: Part[];
  console: Part;
  payments: Part;
  /** Undefined where STRIPE_SECRET_KEY is set. */
  stripeSimulator: Part | undefined;
}

export function describeServices(options: ServiceOptions): Services {
  const { addresses, databaseUrls, actorKeys } = options;
  const redisUrl = (name: string) => options.redisUrls.get(name) ?? '';
  const place = (name: string, port: number) => grpcPlace(name, port, options.sockets);
  const grpc = (kind: string, port: number, env: Record<string, string>, name = kind) => {
    const own = place(name, port);
    return service(options, name, programOf(kind, options), { ...env, ...own.env }, (child) =>
      waitForGrpc(child, own.address),
    );
  };
  // Items encrypted with an older key cannot be read after a restart, and are rejected like expired ones.
  const itemStoreKey = randomBytes(32).toString('base64');
  const simulatorUrl = httpUrl(addresses.simulator);
  const webhookSecret = options.env['WEBHOOK_SECRET'];
  const webhook = webhookSecret === undefined ? {} : { WEBHOOK_SECRET: webhookSecret };
  const consoleUrl = httpUrl(addresses.console);
  const topUpUrl = `${options.hasConsole ? consoleUrl : httpUrl(addresses.ingress[0] ?? 0)}/top-up`;
  const oidcSecret = options.env['OIDC_CLIENT_SECRET'];
  const auths = addresses.auths.map((port, index) => place(numbered('auth', index), port).address);
  const ledgers = addresses.ledgers.map((port, index) => place(numbered('ledger', index), port).address);
  const stripe = describeStripe(options);
  return {
    auths: addresses.auths.map((port, index) => {
      const name = numbered('auth', index);
      const env = { DATABASE_URL: databaseUrls.auth, REDIS_URL: redisUrl(name), ...actorKeys.signing };
      return grpc('auth', port, env, name);
    }),
    ledgers: addresses.ledgers.map((port, index) =>
      grpc(
        'ledger',
        port,
        { DATABASE_URL: databaseUrls.ledger, AUTH_ADDRESS: oneOrAll(auths), ...webhook, ...actorKeys.verifying },
        numbered('ledger', index),
      ),
    ),
    router: grpc('router', addresses.router, {
      CATALOGUE_FILE: options.catalogue,
      SIMULATOR_URL: simulatorUrl,
      ...actorKeys.verifying,
    }),
    simulator: service(
      options,
      'simulator',
      programOf('simulator', options),
      { PORT: String(addresses.simulator) },
      (child) => waitForHttp(child, `${simulatorUrl}/v1/models`),
    ),
    ingresses: addresses.ingress.map((port, index) => {
      const name = numbered('ingress', index);
      const env = {
        PORT: String(port),
        INGRESS_NAME: name,
        AUTH_ADDRESS: oneOrAll(options.authAddresses.get(name) ?? []),
        LEDGER_ADDRESS: options.sharedLedgers ? oneOrAll(ledgers) : (ledgers[index % ledgers.length] ?? ''),
        ROUTER_ADDRESS: place('router', addresses.router).address,
        REDIS_URL: redisUrl(name),
        JOURNAL_DIR: join(options.data, 'journal', name),
        ITEM_STORE_KEY: options.env['ITEM_STORE_KEY'] ?? itemStoreKey,
        RECHARGE_URL: options.env['RECHARGE_URL'] ?? topUpUrl,
        ...(options.hasConsole ? { CONSOLE_URL: consoleUrl } : {}),
        ...(options.bundled ? memorySettingsOfIngress() : {}),
      };
      return service(options, name, programOf('ingress', options), env, (child) =>
        waitForHttp(child, `${httpUrl(port)}/health/ready`),
      );
    }),
    console: service(
      options,
      'console',
      programOf('console', options),
      {
        PORT: String(addresses.console),
        CONSOLE_URL: consoleUrl,
        BASE_URL: httpUrl(addresses.ingress[0] ?? 0),
        AUTH_ADDRESS: oneOrAll(auths),
        LEDGER_ADDRESS: oneOrAll(ledgers),
        ROUTER_ADDRESS: place('router', addresses.router).address,
        DATABASE_URL: databaseUrls.console,
        ...(options.hasPayments ? { PAYMENTS_ADDRESS: place('payments', addresses.payments).address } : {}),
        ...(oidcSecret === undefined ? {} : { OIDC_CLIENT_SECRET: oidcSecret }),
      },
      (child) => waitForHttp(child, `${consoleUrl}/health/ready`),
    ),
    payments: grpc('payments', addresses.payments, {
      PORT: String(addresses.webhooks),
      AUTH_ADDRESS: oneOrAll(auths),
      LEDGER_ADDRESS: oneOrAll(ledgers),
      CONSOLE_URL: consoleUrl,
      DATABASE_URL: databaseUrls.payments,
      ...stripe.settings,
      ...actorKeys.verifying,
    }),
    stripeSimulator: stripe.simulator,
  };
}

/** The stand-in for Stripe, and the settings with which payments uses it; neither where the environment has a key of Stripe. */
function describeStripe(options: ServiceOptions): { simulator: Part | undefined; settings: Record<string, string> } {
  if ((options.env['STRIPE_SECRET_KEY'] ?? '') !== '') return { simulator: undefined, settings: {} };
  const { stripeSimulator, webhooks } = options.addresses;
  const url = httpUrl(stripeSimulator);
  const key = `sk_test_${randomBytes(18).toString('hex')}`;
  const webhookSecret = `whsec_${randomBytes(24).toString('base64url')}`;
  const env = {
    PORT: String(stripeSimulator),
    PUBLIC_URL: url,
    STRIPE_KEY: key,
    WEBHOOK_URL: webhooksUrl(webhooks),
    WEBHOOK_SECRET: webhookSecret,
  };
  const simulator = service(options, 'stripe-simulator', STRIPE_SIMULATOR, env, (child) =>
    waitForHttp(child, `${url}/health`),
  );
  return {
    simulator,
    settings: { STRIPE_API_URL: url, STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: webhookSecret },
  };
}

/** What the image of the ingress sets; mimalloc only where this machine has it. */
function memorySettingsOfIngress(): Record<string, string> {
  const mimalloc = findMimalloc();
  return { NODE_OPTIONS: YOUNG_GENERATION, ...(mimalloc === undefined ? {} : { LD_PRELOAD: mimalloc }) };
}

/** The file with which a service starts. */
function programOf(kind: string, { bundled }: BaseOptions): string {
  return `services/${kind}/${bundled ? 'dist/main.cjs' : 'src/main.ts'}`;
}

/** A gRPC target with one address, or with several for round robin. */
function oneOrAll(addresses: readonly string[]): string {
  return addresses.length === 1 ? (addresses[0] ?? '') : `ipv4:${addresses.join(',')}`;
}

/** The name of one of several processes of a kind: `ingress`, `ingress-2` and so on. */
export function numbered(kind: string, index: number): string {
  return index === 0 ? kind : `${kind}-${index + 1}`;
}

/** The stand-in for Redis, as a separate process. */
export function describeStandIn(options: BaseOptions, password: string, ready: ReadyCheck): Part {
  const env = { PORT: String(options.addresses.redis), PASSWORD: password };
  return service(options, 'redis', 'deploy/local/src/redis-stand-in/main.ts', env, ready);
}

type ReadyCheck = (child: Awaited<ReturnType<Part['launch']>>) => Promise<void>;

function service(
  options: BaseOptions,
  name: string,
  main: string,
  env: Record<string, string>,
  ready: ReadyCheck,
): Part {
  const inherited = inheritedEnv(options.env, name);
  const graceMs = Number(inherited['SHUTDOWN_GRACE_MS']);
  return {
    name,
    stopGraceMs: (Number.isFinite(graceMs) ? graceMs : DEFAULT_GRACE_MS) + STOP_MARGIN_MS,
    launch: async () => {
      const child = await startChild({
        name,
        command: join(CHECKOUT, 'deploy/images/start'),
        args: [main],
        env: {
          LISTEN_HOST: '127.0.0.1',
          MALLOC_ARENA_MAX: MALLOC_ARENAS,
          ...inherited,
          ...env,
          NODE: process.execPath,
        },
        cwd: options.checkoutOf?.(name) ?? CHECKOUT,
        onLine: (line) => options.onLine(name, line),
        watchdog: options.watchdog,
      });
      try {
        await ready(child);
      } catch (error) {
        child.kill('SIGKILL');
        await child.ended;
        throw error;
      }
      return child;
    },
  };
}

/** Only the ingresses, which call the providers, receive their credentials, and only payments what is for Stripe. */
export function inheritedEnv(env: NodeJS.ProcessEnv, name: string): NodeJS.ProcessEnv {
  const isKept = (variable: string) => {
    if (NOT_PASSED_ON.includes(variable)) return false;
    if (variable.startsWith('STRIPE_')) return name === 'payments';
    return /^ingress(-\d+)?$/.test(name) || !/_(API_)?KEY$|_TOKEN$|_SECRET$/.test(variable);
  };
  const kept = Object.entries(env).filter(([variable]) => isKept(variable));
  return { SHUTDOWN_GRACE_MS: String(DEFAULT_GRACE_MS), ...Object.fromEntries(kept) };
}
