import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { removeOldCaps } from './caps/remove-old-caps.ts';
import { type Config, keepDeadSessionMs } from './config.ts';
import { ensurePartitions } from './partitions.ts';
import { type Periodic, runPeriodically } from './periodic.ts';
import { DAY_MS, HOUR_MS } from './request-time.ts';
import { sweep } from './sweep.ts';

/** Rounds of the sweeper that may fail in a row before the service counts as not ready. */
const FAILURES_UNTIL_UNREADY = 3;

/**
 * Starts the sweeper, the making of partitions and the removal of old caps. The sweeper works on the database every few seconds, so it also tells
 * whether the service is ready.
 */
export function startMaintenance(
  pool: Pool,
  config: Config,
  logger: Logger,
  setServing: (serving: boolean) => void,
): Periodic {
  const options = { gapMs: config.SESSION_TTL_MS, keepMs: keepDeadSessionMs(config) };
  let failures = 0;
  const judged = (succeeded: boolean) => {
    failures = succeeded ? 0 : failures + 1;
    if (succeeded) setServing(true);
    else if (failures === FAILURES_UNTIL_UNREADY) setServing(false);
  };
  const sweeper = runPeriodically(
    'sweep',
    config.HEARTBEAT_INTERVAL_MS,
    logger,
    () => sweep(pool, options, logger),
    judged,
  );
  const partitions = runPeriodically('partitions', DAY_MS, logger, () =>
    ensurePartitions(pool, Date.now(), config.CHARGE_MAX_AGE_MS, logger),
  );
  const caps = runPeriodically('old caps', HOUR_MS, logger, () =>
    removeOldCaps(pool, Date.now(), config.CHARGE_MAX_AGE_MS),
  );
  return {
    stop: async () => {
      await Promise.all([sweeper.stop(), partitions.stop(), caps.stop()]);
    },
  };
}
