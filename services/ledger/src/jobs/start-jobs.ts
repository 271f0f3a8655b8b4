import type { Logger } from '@tollgate/common/logging';
import { type Periodic, runPeriodically } from '@tollgate/common/periodic';
import type { Pool } from '@tollgate/common/postgres/pool';
import { heartbeatIntervalMs, keepDeadSessionMs, type LedgerConfig, webhookTarget } from '../config.ts';
import { collectDebts } from '../deposits/debts.ts';
import { applyDefaultThresholds } from '../events/thresholds.ts';
import { endLots } from '../lots/end-lots.ts';
import type { Recalls } from '../recall/recalls.ts';
import { buildLateIndexes, type LateIndexes } from '../store/late-indexes.ts';
import { ensurePartitions } from '../store/partitions.ts';
import { DAY_MS, HOUR_MS } from '../store/time.ts';
import { createEventDelivery } from './deliver-events.ts';
import { createStatementIssuer } from './issue-statements.ts';
import { createPartitionReporter } from './partitions.ts';
import { removeOldCaps, removeOldEvents, removeOldLeases, removeOldRefusalRecords } from './retention.ts';
import { createScheduledReconciliation } from './scheduled-reconciliation.ts';
import { sweep } from './sweep.ts';

/** After this many consecutive failures of the sweeper the service reports that it is not ready. */
const FAILURES_UNTIL_UNREADY = 3;

/** How often missing partitions are created: nothing can be posted in a month without one. */
const PARTITIONS_INTERVAL_MS = 60_000;

/** How often the outbox is checked for events. */
const EVENTS_INTERVAL_MS = 1_000;

/** How often returned credit of accounts that owe money is collected, lots are ended, and changed default thresholds are applied. */
const ACCOUNTS_INTERVAL_MS = 5_000;

/** How often missing indexes are looked for, until all exist: after an upgrade of a ledger with data. */
const LATE_INDEXES_INTERVAL_MS = 60_000;

/** How often statements are issued that have become due. */
const STATEMENTS_INTERVAL_MS = 60_000;

/** How often the reconciliation runs, by one replica at a time, and its maximum time; the next one continues. */
const RECONCILIATION = { intervalMs: 300_000, budgetMs: 30_000 };

export interface JobDependencies {
  config: LedgerConfig;
  logger: Logger;
  pool: Pool;
  recalls: Recalls;
  lateIndexes: LateIndexes;
}

/**
 * Starts the background jobs. The sweeper uses the database every few seconds, so its success also decides whether the
 * service is ready.
 */
export function startJobs(
  { config, logger, pool, recalls, lateIndexes }: JobDependencies,
  setServing: (serving: boolean) => void,
): Periodic {
  const options = { gapMs: config.SESSION_TTL_MS, keepMs: keepDeadSessionMs(config) };
  let failures = 0;
  const reportRound = (succeeded: boolean) => {
    failures = succeeded ? 0 : failures + 1;
    if (succeeded) setServing(true);
    else if (failures === FAILURES_UNTIL_UNREADY) setServing(false);
  };
  const deliver = createEventDelivery(
    pool,
    { target: webhookTarget(config), now: () => Date.now(), random: () => Math.random() },
    logger,
  );
  const run = (name: string, intervalMs: number, task: (signal: AbortSignal) => Promise<unknown>) =>
    runPeriodically(name, intervalMs, logger, task);
  const reportPartitions = createPartitionReporter(pool, logger);
  const makePartitions = async () => {
    try {
      await ensurePartitions(pool, Date.now(), config.CHARGE_MAX_AGE_MS, logger);
    } finally {
      await reportPartitions(Date.now());
    }
  };
  const buildIndexes = async (signal: AbortSignal) => {
    if (await lateIndexes.exist()) return;
    const built = await buildLateIndexes(pool, signal);
    if (built.length > 0) logger.info({ indexes: built }, 'missing indexes were built');
  };
  const ending = { pool, recalls, sessionTtlMs: config.SESSION_TTL_MS, logger };
  const tasks = [
    runPeriodically('sweep', heartbeatIntervalMs(config), logger, () => sweep(pool, options, logger), reportRound),
    run('partitions', PARTITIONS_INTERVAL_MS, makePartitions),
    run('old caps', HOUR_MS, () => removeOldCaps(pool, Date.now(), config.CHARGE_MAX_AGE_MS)),
    run('debts', ACCOUNTS_INTERVAL_MS, () => collectDebts(pool)),
    run('lots', ACCOUNTS_INTERVAL_MS, (signal) => endLots(ending, signal)),
    run('thresholds', ACCOUNTS_INTERVAL_MS, (signal) => applyDefaultThresholds(pool, signal)),
    run('events', EVENTS_INTERVAL_MS, deliver),
    run('old events', HOUR_MS, () => removeOldEvents(pool)),
    run('old leases', HOUR_MS, () => removeOldLeases(pool, Date.now() - config.CHARGE_MAX_AGE_MS - DAY_MS)),
    run('old refusals', HOUR_MS, () => removeOldRefusalRecords(pool, Date.now())),
    run('late indexes', LATE_INDEXES_INTERVAL_MS, buildIndexes),
    run('statements', STATEMENTS_INTERVAL_MS, createStatementIssuer({ pool, lateIndexes, logger })),
    // Every replica checks regularly whether it is due.
    run('reconcile', RECONCILIATION.intervalMs / 4, createScheduledReconciliation(pool, RECONCILIATION, logger)),
  ];
  return {
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
