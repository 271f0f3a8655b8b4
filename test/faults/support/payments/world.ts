import { generateKeyPairSync } from 'node:crypto';
import { type Actor, signActorToken } from '@tollgate/common/actors/token';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { createLogger } from '@tollgate/common/logging';
import { migrate } from '@tollgate/common/postgres/migrate';
import type { Pool } from '@tollgate/common/postgres/pool';
import { MIGRATIONS_FOLDER as LEDGER_MIGRATIONS } from '@tollgate/ledger/folders';
import { readConfig } from '@tollgate/payments/config';
import { createDependencies, type Dependencies, waitForDatabase } from '@tollgate/payments/dependencies';
import { MIGRATIONS_FOLDER } from '@tollgate/payments/folders';
import { createReconciler } from '@tollgate/payments/jobs/reconcile';
import { SCHEMA } from '@tollgate/payments/store/schema';
import { createTopUpJobs } from '@tollgate/payments/top-up/jobs';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { PaymentsServiceClient } from '@tollgate/proto/payments';
import { type StripeSimulator, startStripeSimulator } from '@tollgate/stripe-simulator/testing/start';
import { Stripe } from 'stripe';
import { Processes, type ProcessName } from './processes.ts';

const WEBHOOK_SECRET = 'whsec_ofTheHistories';
const STRIPE_KEY = 'sk_test_ofTheHistories';
/** The events that an endpoint is set up with. */
const EVENTS = [
  ...['completed', 'async_payment_succeeded', 'async_payment_failed', 'expired'].map(
    (each) => `checkout.session.${each}`,
  ),
  ...['succeeded', 'payment_failed', 'canceled'].map((each) => `payment_intent.${each}`),
  ...['created', 'updated', 'failed'].map((each) => `refund.${each}`),
  ...['created', 'updated', 'closed', 'funds_withdrawn', 'funds_reinstated'].map((each) => `charge.dispute.${each}`),
];
const silent = createLogger('test', 'silent');

/** Payments with everything that it needs, and what tests do to it. */
export class World {
  readonly control: StripeSimulator['control'];
  readonly payments: readonly [PaymentsServiceClient, PaymentsServiceClient];
  readonly ledger: LedgerServiceClient;
  readonly pool: Pool;
  /** What processes and the reconciler of this test found that somebody must look at. */
  readonly findings: string[];
  kills = 0;
  /** Of accounts with automatic top-up. */
  readonly monthlyMaxCents = new Map<string, number>();
  readonly #processes: Processes;
  readonly #simulator: StripeSimulator;
  readonly #dependencies: Dependencies;
  readonly #topUps: ReturnType<typeof createTopUpJobs>;
  /** Stripe's API, as its dashboard uses it. */
  readonly #stripe: Stripe;
  /** Open calls of it. */
  readonly #calls = new Set<Promise<unknown>>();
  #hoursPassed = Promise.resolve();
  #shiftMs = 0;
  /** Why a process did not come back. */
  #failure: unknown;
  readonly #dead = new Map<ProcessName, Promise<void>>();

  private constructor(parts: {
    processes: Processes;
    simulator: StripeSimulator;
    dependencies: Dependencies;
    findings: string[];
    token: (nowMs: number) => Promise<string>;
  }) {
    const { processes, simulator, dependencies } = parts;
    this.#processes = processes;
    this.#simulator = simulator;
    this.#dependencies = dependencies;
    this.#topUps = createTopUpJobs(dependencies);
    this.findings = parts.findings;
    this.control = simulator.control;
    const { host, port } = simulator;
    this.#stripe = new Stripe(STRIPE_KEY, { host, port, protocol: 'http', maxNetworkRetries: 0 });
    this.pool = dependencies.pool;
    const { payments, 'payments-2': second, ledger } = processes.services;
    const client = (grpc: number) =>
      createGrpcClient(PaymentsServiceClient, `127.0.0.1:${grpc}`, undefined, {
        actorToken: () => parts.token(this.now()),
      });
    this.payments = [client(payments.grpc), client(second.grpc)];
    // Nobody moves the clock of the ledger.
    this.ledger = createGrpcClient(LedgerServiceClient, `127.0.0.1:${ledger.grpc}`, undefined, {
      actorToken: () => parts.token(Date.now()),
    });
  }

  static async start(): Promise<World> {
    const findings: string[] = [];
    const processes = await Processes.create((line) => {
      if (line.includes('"finding":')) findings.push(line);
    });
    const databaseUrl = processes.postgres.url;
    await migrate({ databaseUrl, schema: 'ledger', folder: LEDGER_MIGRATIONS }, silent);
    await migrate({ databaseUrl, schema: SCHEMA, folder: MIGRATIONS_FOLDER }, silent);
    const webhook = {
      url: `http://127.0.0.1:${processes.services.payments.http}/webhooks/stripe`,
      secret: WEBHOOK_SECRET,
      events: EVENTS,
    };
    const simulator = await startStripeSimulator({ webhook, secretKey: STRIPE_KEY });
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const settings = {
      LOG_LEVEL: 'warn',
      LISTEN_HOST: '127.0.0.1',
      DATABASE_URL: databaseUrl,
      // Operators at the cluster are not asked for.
      AUTH_ADDRESS: '127.0.0.1:1',
      LEDGER_ADDRESS: `127.0.0.1:${processes.services.ledger.grpc}`,
      CONSOLE_URL: 'https://console.example.com',
      STRIPE_SECRET_KEY: STRIPE_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: simulator.url,
      PAYMENT_DAILY_LIMIT: '100000',
      ACTOR_PUBLIC_KEYS: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    };
    await processes.startAll(settings);
    const actor: Actor = {
      id: '',
      name: 'test operator',
      role: 'operator',
      via: 'cli',
      accountId: undefined,
      readOnly: false,
      keyIds: undefined,
    };
    const logger = Object.assign(createLogger('test', 'silent'), {
      error: (details: { finding?: string }) => {
        if (details.finding !== undefined) findings.push(JSON.stringify(details));
      },
    });
    const now = () => world.now();
    const dependencies = createDependencies(readConfig(settings), logger, { now });
    const { signal } = new AbortController();
    await waitForDatabase(dependencies, { onProblem: () => undefined, signal });
    const token = (nowMs: number) => signActorToken(privateKey, actor, nowMs);
    const world: World = new World({ processes, simulator, dependencies, findings, token });
    return world;
  }

  /** The time of payments and of Stripe. */
  now(): number {
    return Date.now() + this.#shiftMs;
  }

  /** Lets time pass, at Stripe too, where what is due happens. */
  pass(ms: number): void {
    this.#shiftMs += ms;
    this.#processes.shift(this.#shiftMs);
    this.catchUp();
  }

  /** Stripe's clock moves only when it is told. @throws what kept a process from coming back */
  catchUp(): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.control.advance(Math.max(0, this.now() - this.control.now()));
  }

  /** Kills a process, which comes back after some time, unless it is dead. */
  crash(name: ProcessName, downMs: number): void {
    if (this.#dead.has(name)) return;
    this.kills += 1;
    const crash = async () => {
      await this.#processes.kill(name);
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await this.#processes.start(name);
      this.#dead.delete(name);
    };
    const recovered = crash();
    this.#dead.set(name, recovered);
    recovered.catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** Calls Stripe, as its dashboard and other programs do, unless hours are passing. */
  async callStripe(call: (stripe: Stripe) => Promise<unknown>): Promise<void> {
    await this.#hoursPassed;
    // Whether a lost call was done is seen in Stripe's books.
    const ended = call(this.#stripe).catch(() => undefined);
    this.#calls.add(ended);
    await ended;
    this.#calls.delete(ended);
  }

  /**
   * Lets hours pass while payments is down and nobody else calls Stripe. The SDK would repeat a call that is open meanwhile after
   * hours instead of seconds: when payments has given it up, or Stripe has forgotten its idempotency key.
   */
  passHours(ms: number): Promise<void> {
    this.#hoursPassed = this.#passHours(ms);
    return this.#hoursPassed;
  }

  async #passHours(ms: number): Promise<void> {
    await Promise.all([this.recovered(), ...this.#calls]);
    const replicas = ['payments', 'payments-2'] as const;
    await Promise.all(replicas.map((name) => this.#processes.kill(name)));
    this.kills += replicas.length;
    this.pass(ms);
    await Promise.all(replicas.map((name) => this.#processes.start(name)));
  }

  /** Resolves once every process runs. */
  async recovered(): Promise<void> {
    await Promise.all(this.#dead.values());
  }

  /** A pass of the reconciler, whenever the last one was. */
  async reconcile(): Promise<void> {
    await this.pool.query('UPDATE payments.provider_state SET next_pass_ms = 0');
    const deps = this.#dependencies;
    await createReconciler({ ...deps, refunds: deps, random: () => 0 })(new AbortController().signal);
  }

  /** What both jobs of automatic top-up do. */
  async topUp(): Promise<void> {
    const { signal } = new AbortController();
    await this.#topUps.watch(signal);
    await this.#topUps.charge(signal);
  }

  async stop(): Promise<void> {
    for (const client of [...this.payments, this.ledger]) client.close();
    await this.#dependencies.close();
    await this.#processes.stop();
    await this.#simulator.stop();
  }
}
