import { setTimeout as delay } from 'node:timers/promises';
import { askAuth } from '@tollgate/common/actors/ask-auth';
import { type Authorize, authorizeBy } from '@tollgate/common/actors/authorize';
import { messageOf } from '@tollgate/common/errors';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { grpcTls } from '@tollgate/common/grpc/tls';
import type { Logger } from '@tollgate/common/logging';
import { readMigrations, requireSchema } from '@tollgate/common/postgres/migrate';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { PaymentsConfig } from './config.ts';
import { MIGRATIONS_FOLDER } from './folders.ts';
import type { Provider } from './providers/provider.ts';
import { createStripeProvider } from './providers/stripe/stripe-provider.ts';
import { readInstallationId } from './store/provider-state.ts';
import { SCHEMA } from './store/schema.ts';
import { type Book, bookBy } from './synchronize/book.ts';
import { createFindings, type Findings } from './synchronize/findings.ts';
import { shareRuns } from './synchronize/share-runs.ts';
import { createSynchronize, type Synchronize } from './synchronize/synchronize.ts';
import { type ReadBalances, readBalancesOf } from './top-up/balances.ts';
import { Events } from './webhooks/events.ts';

const RETRY_INTERVAL_MS = 1_000;

/** Everything the handlers and jobs work with, created once at start. */
export interface Dependencies {
  config: PaymentsConfig;
  logger: Logger;
  pool: Pool;
  authorize: Authorize;
  provider: Provider;
  book: Book;
  readBalances: ReadBalances;
  findings: Findings;
  synchronize: Synchronize;
  events: Events;
  /** Known once the database responds. */
  installationId: () => string;
  setInstallationId: (id: string) => void;
  now: () => number;
  random: () => number;
  close: () => Promise<void>;
}

/** Replaces what would be opened otherwise. */
export interface Overrides {
  provider?: Provider;
  book?: Book;
  authorize?: Authorize;
  now?: () => number;
}

/** Creates the dependencies. Nothing connects yet. */
export function createDependencies(config: PaymentsConfig, logger: Logger, overrides: Overrides = {}): Dependencies {
  const pool = createPool(
    { url: config.DATABASE_URL, size: config.DATABASE_POOL_SIZE, applicationName: 'tollgate-payments' },
    logger,
  );
  const tls = grpcTls(config);
  const auth = createGrpcClient(AuthServiceClient, config.AUTH_ADDRESS, tls);
  const ledger = createGrpcClient(LedgerServiceClient, config.LEDGER_ADDRESS, tls);
  const now = overrides.now ?? (() => Date.now());
  const provider = overrides.provider ?? createProvider(config);
  const book = overrides.book ?? bookBy(ledger);
  const findings = createFindings(logger);
  let installation: string | undefined;
  const installationId = () => {
    if (installation === undefined) throw new Error('the database has not responded yet');
    return installation;
  };
  const synchronize = shareRuns(createSynchronize({ pool, provider, book, findings, logger, installationId, now }));
  return {
    config,
    logger,
    pool,
    authorize: overrides.authorize ?? authorizeBy(config.ACTOR_PUBLIC_KEYS, askAuth(auth)),
    provider,
    book,
    readBalances: readBalancesOf(ledger),
    findings,
    synchronize,
    events: new Events({ pool, provider, synchronize, logger, now }),
    installationId,
    setInstallationId: (id) => {
      installation = id;
    },
    now,
    random: () => Math.random(),
    close: async () => {
      auth.close();
      ledger.close();
      await pool.end();
    },
  };
}

/** The one provider that is built; another one is one more folder in `providers`. */
function createProvider(config: PaymentsConfig): Provider {
  return createStripeProvider({
    secretKey: config.STRIPE_SECRET_KEY,
    apiUrl: config.STRIPE_API_URL,
    webhookSecrets: config.STRIPE_WEBHOOK_SECRET,
    tax: config.STRIPE_TAX,
  });
}

/**
 * Waits until Postgres responds with a schema that payments can use, and reads the id of this installation.
 *
 * @returns false when the wait was ended
 */
export async function waitForDatabase(
  { logger, pool, setInstallationId }: Pick<Dependencies, 'logger' | 'pool' | 'setInstallationId'>,
  { onProblem, signal }: { onProblem: (problem: string) => void; signal: AbortSignal },
): Promise<boolean> {
  const migrations = readMigrations(MIGRATIONS_FOLDER);
  let logged: string | undefined;
  while (!signal.aborted) {
    try {
      await requireSchema(pool, SCHEMA, migrations);
      setInstallationId(await readInstallationId(pool));
      return true;
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== logged) logger.warn({ reason: problem }, 'not serving');
      logged = problem;
      onProblem(problem);
    }
    await delay(RETRY_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
