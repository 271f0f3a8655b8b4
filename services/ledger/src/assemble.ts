import { startHealth } from '@tollgate/common/health';
import type { Logger } from '@tollgate/common/logging';
import { createPool } from '@tollgate/common/postgres/pool';
import type { ShutdownStep } from '@tollgate/common/shutdown';
import type { Config } from './config.ts';
import type { Periodic } from './jobs/periodic.ts';
import { startJobs } from './jobs/start-jobs.ts';
import { prepareDatabase } from './prepare-database.ts';
import { type LedgerServer, startLedgerServer } from './server.ts';

/** A ledger that starts. */
export interface Ledger {
  /** Where health checks are answered; undefined where they are not. */
  healthPort: number | undefined;
  /** Resolves when it serves, or is stopped before; rejects when it cannot serve. */
  started: Promise<void>;
  /** What stops it, in order, also while it starts. */
  stopSteps: ShutdownStep[];
}

/** Opens the ledger's connections and starts its server once Postgres answers with a schema that it can use. */
export async function startLedger(config: Config, logger: Logger): Promise<Ledger> {
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT);
  const pool = createPool(
    { url: config.DATABASE_URL, size: config.DATABASE_POOL_SIZE, applicationName: 'tollgate-ledger' },
    logger,
  );
  const stopping = new AbortController();
  let server: LedgerServer | undefined;
  let maintenance: Periodic | undefined;
  const start = async () => {
    const waiting = { onProblem: health.setProblem, signal: stopping.signal };
    if (!(await prepareDatabase(pool, config, logger, waiting))) return;
    server = await startLedgerServer(pool, config, logger, health);
    server.setServing(true);
    maintenance = startJobs(pool, config, logger, server.setServing);
  };
  const started = start();
  const stopStarting = async () => {
    stopping.abort();
    await started;
  };
  return {
    healthPort: health.port,
    started,
    stopSteps: [
      { name: 'start', run: stopStarting },
      { name: 'maintenance', run: () => maintenance?.stop() },
      { name: 'readiness', run: () => server?.setServing(false, 'stopping') },
      { name: 'streams', run: () => server?.drainStreams() },
      { name: 'server', run: () => server?.stop(config.SHUTDOWN_GRACE_MS / 2) },
      { name: 'database', run: () => pool.end() },
      { name: 'health', run: () => health.stop() },
    ],
  };
}
