import { authorizeBy } from '@tollgate/common/actors/authorize';
import type { Actor } from '@tollgate/common/actors/token';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { startHealth } from '@tollgate/common/health';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { migrate } from '@tollgate/common/postgres/migrate';
import { ACTOR_SETTINGS, actorWith, tokenFor } from '@tollgate/common/testing/actors';
import { type ServedLedger, serveLedger } from '@tollgate/ledger/testing/serve-ledger';
import { type Payment, PaymentsServiceClient } from '@tollgate/proto/payments';
import { readConfig } from '../src/config.ts';
import { createDependencies, type Dependencies, type Overrides } from '../src/dependencies.ts';
import { MIGRATIONS_FOLDER } from '../src/folders.ts';
import { createReconciler } from '../src/jobs/reconcile.ts';
import { createServer } from '../src/server.ts';
import { SCHEMA } from '../src/store/schema.ts';
import { createTopUpJobs } from '../src/top-up/jobs.ts';

export const silent = createLogger('test', 'silent');
export const DOLLAR = 1_000_000_000n;

const LONG = { deadlineMs: 30_000 };

/** Payments with a real ledger in one database, and its clock. */
export interface ServedPayments {
  deps: Dependencies;
  ledger: ServedLedger;
  client: PaymentsServiceClient;
  webhookUrl: string;
  /** Moves the clock of payments. */
  pass: (ms: number) => void;
  /** One pass of the reconciler, whenever the last one was. */
  reconcile: () => Promise<void>;
  /** The jobs of automatic top-up: one run of each. */
  topUp: { watch: () => Promise<void>; charge: () => Promise<void> };
  balanceOf: (accountId: string) => Promise<bigint>;
  /** What the ledger has booked, by key, in cents. */
  booked: (accountId: string) => Promise<Record<string, number>>;
  checkout: (accountId: string, options?: CheckoutArguments) => Promise<Payment>;
  get: (accountId: string, paymentId: string) => Promise<Payment>;
  refund: (payment: Payment, cents: bigint, idempotencyKey?: string) => Promise<Payment>;
  tokenOf: (accountId: string, changes?: Partial<Actor>) => Promise<string>;
  stop: () => Promise<void>;
}

interface CheckoutArguments {
  amountNanos?: bigint;
  saveMethod?: boolean;
  confirms?: bigint;
  idempotencyKey?: string;
  personId?: string;
  clientAddress?: string;
}

/** The settings of tests; the ledger and auth are those of the test. */
export function testSettings(changes: Record<string, string> = {}): Record<string, string> {
  return {
    LISTEN_HOST: '127.0.0.1',
    GRPC_PORT: '0',
    PORT: '0',
    SHUTDOWN_GRACE_MS: '2000',
    AUTH_ADDRESS: '127.0.0.1:1',
    CONSOLE_URL: 'https://console.example.com',
    STRIPE_SECRET_KEY: 'sk_test_abc',
    STRIPE_WEBHOOK_SECRET: 'whsec_testsecret',
    ...ACTOR_SETTINGS,
    ...changes,
  };
}

/** Starts payments in the test's process. Its jobs run only when the test says so. */
export async function servePayments(
  overrides: Omit<Overrides, 'now' | 'authorize'>,
  changes: Record<string, string> = {},
  offset: { ms: number } = { ms: 0 },
): Promise<ServedPayments> {
  const ledger = await serveLedger();
  await migrate({ databaseUrl: ledger.url, schema: SCHEMA, folder: MIGRATIONS_FOLDER }, silent);
  const config = readConfig(
    testSettings({ DATABASE_URL: ledger.url, LEDGER_ADDRESS: `127.0.0.1:${ledger.server.port}`, ...changes }),
  );
  const now = () => Date.now() + offset.ms;
  const authorize = authorizeBy(config.ACTOR_PUBLIC_KEYS);
  const deps = createDependencies(config, silent, { ...overrides, now, authorize });
  const health = await startHealth(config.LISTEN_HOST, undefined);
  const service = createServer({ ...deps, random: () => 0 }, health, { jobs: false });
  await service.start();
  const ports = service.ports();
  const client = createGrpcClient(PaymentsServiceClient, `127.0.0.1:${ports.grpc}`);
  const reconciler = createReconciler({ ...deps, refunds: deps, random: () => 0 });

  const topUpJobs = createTopUpJobs(deps);
  const tokenOf = (accountId: string, actor: Partial<Actor> = {}) =>
    tokenFor(actorWith({ id: newId(), name: 'ann@example.com', role: 'owner', via: 'console', accountId, ...actor }));
  const operator = () => tokenFor(actorWith({ id: newId(), name: 'op@example.com', via: 'console' }));
  return {
    deps,
    ledger,
    client,
    webhookUrl: `http://127.0.0.1:${ports.webhooks}/webhooks/stripe`,
    pass: (ms) => {
      offset.ms += ms;
    },
    reconcile: async () => {
      await deps.pool.query('UPDATE payments.provider_state SET next_pass_ms = 0');
      await reconciler(new AbortController().signal);
    },
    topUp: {
      watch: () => topUpJobs.watch(new AbortController().signal),
      charge: () => topUpJobs.charge(new AbortController().signal),
    },
    balanceOf: async (accountId) => {
      const { balanceNanos, receivableNanos } = await unaryCall(
        ledger.client.getBalance.bind(ledger.client),
        { accountId },
        LONG,
      );
      return balanceNanos - receivableNanos;
    },
    booked: async (accountId) => {
      const { rows } = await deps.pool.query<{ key: string; cents: number }>(
        `SELECT idempotency_key AS key, (amount_nanos / 10000000)::int AS cents FROM ledger.deposits
         WHERE account_id = $1 ORDER BY created_at_ms`,
        [accountId],
      );
      return Object.fromEntries(rows.map(({ key, cents }) => [key, cents]));
    },
    checkout: async (accountId, { personId, ...given } = {}) => {
      const usual = { accountId, amountNanos: 100n * DOLLAR, saveMethod: false, idempotencyKey: newId() };
      const actorToken = await tokenOf(accountId, personId === undefined ? {} : { id: personId });
      const request = { ...usual, clientAddress: '', ...given };
      return unaryCall(client.createCheckout.bind(client), request, { ...LONG, actorToken });
    },
    get: async (accountId, paymentId) =>
      unaryCall(client.getPayment.bind(client), { accountId, paymentId }, { ...LONG, actorToken: await operator() }),
    refund: async ({ accountId, paymentId }, cents, idempotencyKey = newId()) =>
      unaryCall(
        client.refundPayment.bind(client),
        { accountId, paymentId, amountNanos: cents * 10_000_000n, reason: 'closing', idempotencyKey },
        { ...LONG, actorToken: await operator() },
      ),
    tokenOf,
    stop: async () => {
      client.close();
      for (const step of service.stopSteps) await step.run();
      await ledger.drop();
    },
  };
}
