import { loadConfig } from '@tollgate/common/config';
import { createLogger } from '@tollgate/common/logging';
import { requireSchema } from '@tollgate/common/postgres/migrate';
import { createPool } from '@tollgate/common/postgres/pool';
import { runMain, stopOnSignal } from '@tollgate/common/shutdown';
import { startTelemetry } from '@tollgate/common/telemetry';
import { configSchema } from './config.ts';
import { useDefaultThresholds } from './events/default-thresholds.ts';
import { startMaintenance } from './maintenance.ts';
import { MIGRATIONS_FOLDER, SCHEMA } from './migrations-folder.ts';
import { ensurePartitions } from './partitions.ts';
import { startLedgerServer } from './server.ts';

const logger = createLogger('ledger', process.env['LOG_LEVEL'] ?? 'info');

runMain(logger, async () => {
  const config = loadConfig(configSchema, process.env);
  const telemetry = startTelemetry({ service: 'ledger', metricsPort: config.METRICS_PORT, host: config.LISTEN_HOST });
  const pool = createPool(
    { url: config.DATABASE_URL, size: config.DATABASE_POOL_SIZE, applicationName: 'tollgate-ledger' },
    logger,
  );
  await requireSchema(pool, SCHEMA, MIGRATIONS_FOLDER);
  await ensurePartitions(pool, Date.now(), config.CHARGE_MAX_AGE_MS, logger);
  await useDefaultThresholds(pool, config.LOW_BALANCE_THRESHOLDS, logger);
  const server = await startLedgerServer(pool, config, logger);
  server.setServing(true);
  const maintenance = startMaintenance(pool, config, logger, server.setServing);
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    { name: 'maintenance', run: () => maintenance.stop() },
    { name: 'readiness', run: () => server.setServing(false) },
    { name: 'streams', run: () => server.drainStreams() },
    { name: 'server', run: () => server.stop(config.SHUTDOWN_GRACE_MS / 2) },
    { name: 'database', run: () => pool.end() },
    { name: 'telemetry', run: () => telemetry.shutdown() },
  ]);
});
