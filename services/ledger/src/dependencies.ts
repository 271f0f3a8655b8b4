import { setTimeout as delay } from 'node:timers/promises';
import { askAuth } from '@tollgate/common/actors/ask-auth';
import { type Authorize, authorizeBy } from '@tollgate/common/actors/authorize';
import { messageOf } from '@tollgate/common/errors';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { OpenStreams } from '@tollgate/common/grpc/server-stream';
import { grpcTls } from '@tollgate/common/grpc/tls';
import type { Logger } from '@tollgate/common/logging';
import { readMigrations, requireSchema } from '@tollgate/common/postgres/migrate';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerConfig } from './config.ts';
import { saveDefaultThresholds } from './events/thresholds.ts';
import { MIGRATIONS_FOLDER } from './folders.ts';
import { createPostgresBus, type RecallBus } from './recall/bus.ts';
import { Recalls } from './recall/recalls.ts';
import { ChargeWaiters } from './settle/charge-waiters.ts';
import { createSettlementReporter, recordSettlementSpans } from './settle/observe-settlement.ts';
import { settleIsolating } from './settle/settle-records.ts';
import { MAX_BATCH, type Settlement, Settler } from './settle/settler.ts';
import { LateIndexes } from './store/late-indexes.ts';
import { ensurePartitions } from './store/partitions.ts';
import { SCHEMA } from './store/schema.ts';

const RETRY_INTERVAL_MS = 1_000;

/** Maximum concurrent settlement transactions. */
const SETTLE_LANES = 2;
/** Maximum charges of one settlement transaction; batches that arrive together share one. */
const MAX_SETTLE_ROWS = 8_000;
/** Target duration of a settlement transaction: under load it contains as many charges as that allows. */
const SETTLE_TARGET_MS = 1_000;

/** Everything the handlers and jobs work with, created once at start. */
export interface Dependencies {
  config: LedgerConfig;
  logger: Logger;
  pool: Pool;
  lateIndexes: LateIndexes;
  auth: AuthServiceClient;
  authorize: Authorize;
  /** The recalls this replica takes part in. */
  recalls: Recalls;
  settler: Settler;
  chargeWaiters: ChargeWaiters;
  /** Reports a committed settlement: metrics, logs, spans, and lookups that wait for a charge. */
  onSettled: (settlement: Settlement) => void;
  /** Lease and Settle streams that are open. */
  streams: OpenStreams;
}

/** How long idle credit is recalled from other ingresses before an acquire is refused. */
const RECALL_WAIT_MS = 300;

/** Replaces what would be opened otherwise. */
export interface Overrides {
  pool?: Pool;
  bus?: RecallBus;
  auth?: AuthServiceClient;
  recallWaitMs?: number;
}

/** Creates the dependencies. Nothing connects to the database yet. */
export function createDependencies(config: LedgerConfig, logger: Logger, overrides: Overrides = {}): Dependencies {
  const options = {
    url: config.DATABASE_URL,
    size: config.DATABASE_POOL_SIZE,
    applicationName: 'tollgate-ledger',
  };
  const pool = overrides.pool ?? createPool(options, logger);
  const bus = overrides.bus ?? createPostgresBus(config.DATABASE_URL, logger);
  const auth = overrides.auth ?? createGrpcClient(AuthServiceClient, config.AUTH_ADDRESS, grpcTls(config));
  const chargeWaiters = new ChargeWaiters();
  const onSettled = createSettlementObserver(logger, chargeWaiters);
  const settler = new Settler({
    commit: (records) => settleIsolating(pool, records, { maxAgeMs: config.CHARGE_MAX_AGE_MS, logger }),
    onSettled,
    lanes: SETTLE_LANES,
    rows: { minRows: MAX_BATCH, maxRows: MAX_SETTLE_ROWS, targetMs: SETTLE_TARGET_MS },
  });
  return {
    config,
    logger,
    pool,
    lateIndexes: new LateIndexes(pool),
    auth,
    authorize: authorizeBy(config.ACTOR_PUBLIC_KEYS, askAuth(auth)),
    recalls: new Recalls({ waitMs: overrides.recallWaitMs ?? RECALL_WAIT_MS, bus }),
    settler,
    chargeWaiters,
    onSettled,
    streams: new OpenStreams(),
  };
}

function createSettlementObserver(logger: Logger, waiters: ChargeWaiters): (settlement: Settlement) => void {
  const report = createSettlementReporter(logger);
  return (settlement) => {
    report(settlement);
    recordSettlementSpans(settlement);
    if (waiters.idle) return;
    for (const { record } of settlement.plan.postings) {
      waiters.wake(record.charge.accountId, record.charge.requestId, record.charge.traceId);
    }
  };
}

export interface WaitOptions {
  /** Called with why the ledger cannot start yet. */
  onProblem: (problem: string) => void;
  /** Ends the wait. */
  signal: AbortSignal;
}

/**
 * Waits until Postgres responds with a schema that the ledger can use, for instance while its migrations run, and
 * prepares what the ledger needs in it.
 *
 * @returns false when the wait was ended
 */
export async function waitForDatabase(
  { config, logger, pool }: Dependencies,
  { onProblem, signal }: WaitOptions,
): Promise<boolean> {
  const migrations = readMigrations(MIGRATIONS_FOLDER);
  let logged: string | undefined;
  while (!signal.aborted) {
    try {
      await requireSchema(pool, SCHEMA, migrations);
      await ensurePartitions(pool, Date.now(), config.CHARGE_MAX_AGE_MS, logger);
      await saveDefaultThresholds(pool, config.LOW_BALANCE_THRESHOLDS, logger);
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
