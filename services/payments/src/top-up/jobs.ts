import { BEFORE_ALL } from '@tollgate/common/ids';
import { meterOf } from '@tollgate/common/telemetry';
import { type CrossingRow, claimCrossings, OUTCOMES, oldestOpenMs } from '../store/crossings.ts';
import { listWatched, resumeConfirmed, type Watched } from '../store/top-ups.ts';
import { MAX_BALANCES, type ReadBalances } from './balances.ts';
import { beginCrossing, type CrossingDependencies } from './begin-crossing.ts';
import { type ChargeDependencies, continueCrossing } from './continue-crossing.ts';

/** How often each replica compares balances with thresholds. */
export const WATCH_INTERVAL_MS = 1_000;
/** How often each replica looks for charges to make. */
export const CHARGE_INTERVAL_MS = 500;

/** Charges that a replica makes at once: fewer than connections to the database. */
const MAX_CHARGES = 4;
/** What a replica did not finish is gone on with after this time, by any. Longer than a call of the provider. */
const AGAIN_MS = 30_000;
const MAX_AGAIN_MS = 15 * 60_000;

export type TopUpDependencies = CrossingDependencies & ChargeDependencies & { readBalances: ReadBalances };

/** Creates the two jobs of automatic top-up. Any number of replicas may run them at once. */
export function createTopUpJobs(deps: TopUpDependencies) {
  const { pool, now, logger } = deps;
  const meter = meterOf('tollgate-payments');
  const ended = meter.createCounter('tollgate_payments_crossings', {
    description: 'Balances that fell to the threshold of an automatic top-up, by how the charge ended',
  });
  // A series that starts with its first event shows no increase, and alerts would miss it.
  for (const outcome of OUTCOMES) ended.add(0, { outcome });
  let oldestMs: number | undefined;
  meter
    .createObservableGauge('tollgate_payments_oldest_crossing_seconds', {
      description: 'Age of the oldest charge of an automatic top-up that has not ended; 0: there is none',
    })
    .addCallback((result) => result.observe(oldestMs === undefined ? 0 : Math.max(0, now() - oldestMs) / 1_000));

  /** Compares the balance of each account with its threshold. */
  const watch = async (signal: AbortSignal): Promise<void> => {
    await resumeConfirmed(pool);
    oldestMs = await oldestOpenMs(pool);
    let afterId = BEFORE_ALL;
    while (!signal.aborted) {
      // Read before the balances: see beginCrossing.
      const page = await listWatched(pool, { afterId, nowMs: now(), limit: MAX_BALANCES });
      const last = page.at(-1);
      if (last === undefined) return;
      await compare(page);
      if (page.length < MAX_BALANCES) return;
      afterId = last.accountId;
    }
  };

  async function compare(page: readonly Watched[]): Promise<void> {
    const balances = await deps.readBalances(page.map(({ accountId }) => accountId));
    for (const watched of page) {
      const balance = balances.get(watched.accountId);
      if (balance === undefined || balance.balanceNanos > watched.rule.thresholdNanos) continue;
      const { accountId: account_id } = watched;
      await beginCrossing(deps, watched, balance).then(
        (isBegun) => isBegun && logger.info({ account_id }, 'a balance fell to its threshold and is topped up'),
        // Another account must not wait for this one.
        (error: unknown) => logger.error({ err: error, account_id }, 'a balance was not topped up'),
      );
    }
  }

  /** Goes on with charges that are due. */
  const charge = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const due = await claimCrossings(pool, {
        nowMs: now(),
        againMs: AGAIN_MS,
        maxAgainMs: MAX_AGAIN_MS,
        limit: MAX_CHARGES,
      });
      await Promise.all(due.map(goOn));
      if (due.length < MAX_CHARGES) return;
    }
  };

  async function goOn(crossing: CrossingRow): Promise<void> {
    const { account_id, number, payment_id } = crossing;
    const details = { account_id, crossing: number.toString(), payment_id };
    try {
      const outcome = await continueCrossing(deps, crossing);
      if (outcome === undefined) return;
      ended.add(1, { outcome });
      logger.info({ ...details, outcome }, 'an automatic top-up has ended');
    } catch (error) {
      logger.error({ err: error, ...details }, 'an automatic top-up is still open');
    }
  }

  return { watch, charge };
}
