import { messageOf } from '@tollgate/common/errors';
import { type Periodic, runPeriodically } from '@tollgate/common/periodic';
import { readMigrations, requireSchema } from '@tollgate/common/postgres/migrate';
import type { Dependencies } from '../dependencies.ts';
import { MIGRATIONS_FOLDER } from '../folders.ts';
import { FORGET_AFTER_MS } from '../limits/failed-cards.ts';
import { forgetClients } from '../store/limits.ts';
import { SCHEMA } from '../store/schema.ts';
import { CHARGE_INTERVAL_MS, createTopUpJobs, WATCH_INTERVAL_MS } from '../top-up/jobs.ts';
import { createReconciler } from './reconcile.ts';

/** How often each replica looks whether a pass of the reconciler is due. */
const RECONCILE_INTERVAL_MS = 10_000;

/** How often what limits need no more is removed, and how much at once. */
const FORGET_INTERVAL_MS = 600_000;
const MAX_FORGOTTEN = 10_000;

/** How often the database is asked whether it can be used. */
const READINESS_INTERVAL_MS = 1_000;

/** Starts the background jobs. */
export function startJobs(deps: Dependencies, setServing: (serving: boolean, reason?: string) => void): Periodic {
  const { pool, logger } = deps;
  const migrations = readMigrations(MIGRATIONS_FOLDER);
  let isServing = true;
  const checkDatabase = async () => {
    const problem = await requireSchema(pool, SCHEMA, migrations).then(() => undefined, messageOf);
    const isReady = problem === undefined;
    setServing(isReady, problem);
    if (isReady !== isServing) logger.warn({ reason: problem }, isReady ? 'serving again' : 'not serving');
    isServing = isReady;
  };
  const reconcile = createReconciler({ ...deps, refunds: deps });
  const topUp = createTopUpJobs(deps);
  const tasks = [
    runPeriodically('watch balances', WATCH_INTERVAL_MS, logger, topUp.watch),
    runPeriodically('charge top-ups', CHARGE_INTERVAL_MS, logger, topUp.charge),
    runPeriodically('reconcile', RECONCILE_INTERVAL_MS, logger, reconcile),
    runPeriodically('forget clients', FORGET_INTERVAL_MS, logger, async () => {
      await forgetClients(pool, deps.now() - FORGET_AFTER_MS, MAX_FORGOTTEN);
    }),
    runPeriodically('readiness', READINESS_INTERVAL_MS, logger, checkDatabase),
  ];
  return {
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
