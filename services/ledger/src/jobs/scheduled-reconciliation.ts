import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { meterOf } from '@tollgate/common/telemetry';
import { type ReconcileReport, reconcile } from '../reconcile/reconcile.ts';
import { claimCheck, type ReconciliationStatus, readReconciliationStatus } from '../store/reconciliation.ts';

/** Maximum findings named in one log line; all of them are in ledger.findings. */
const MAX_NAMED = 20;

export interface ScheduledOptions {
  /** How often reconciliation runs, over all replicas. */
  intervalMs: number;
  /** Maximum duration of one run. */
  budgetMs: number;
}

/**
 * Creates the scheduled reconciliation: one replica at a time continues the pass over all accounts. Findings are an
 * error in the log after each run and a metric, until the rows are corrected. Every replica measures the same, whichever
 * ran it, and keeps measuring the age of the last run while none can run.
 */
export function createScheduledReconciliation(
  pool: Pool,
  options: ScheduledOptions,
  logger: Logger,
): () => Promise<void> {
  const meter = meterOf('tollgate-ledger');
  let standing: ReconciliationStatus | undefined;
  meter
    .createObservableGauge('tollgate_ledger_reconciliation_findings', {
      description: 'Rows that break a promise of the ledger, as last found',
    })
    .addCallback((result) => {
      if (standing !== undefined) result.observe(standing.findings);
    });
  meter
    .createObservableGauge('tollgate_ledger_reconciliation_behind_ms', {
      description: 'How long ago the last complete pass over all accounts began; before the first one, the running one',
    })
    .addCallback((result) => {
      const sinceMs = standing?.behindSinceMs ?? 0;
      if (sinceMs > 0) result.observe(Date.now() - sinceMs);
    });
  const report = (done: ReconcileReport) => {
    if (done.findingsTotal > 0) {
      logger.error(
        { count: done.findingsTotal, findings: done.findings.slice(0, MAX_NAMED) },
        'reconciliation found rows that do not agree',
      );
    }
    const { findings: _, ...figures } = done;
    logger.debug(figures, 'reconciled');
  };
  return async () => {
    try {
      if (!(await claimCheck(pool, options.intervalMs))) return;
      report(await reconcile(pool, { budgetMs: options.budgetMs, pass: 'running' }));
    } finally {
      standing = await readReconciliationStatus(pool);
    }
  };
}
