import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { countAccounts } from '../store/balances.ts';
import { clearFindings, type Finding, listFindings, storeFindings } from '../store/findings.ts';
import { advancePass, beginPass, type Checked, type Pass, readPass, takeTurn } from '../store/reconciliation.ts';
import { withRetries } from '../store/retry.ts';
import { checkSlice } from './check-slice.ts';
import { END, nextSlice, SLICE_SIZE, type SliceSize } from './slice.ts';

/** Maximum findings in a report. */
const MAX_REPORTED = 1_000;
/** Maximum findings of one statement. */
const MAX_FINDINGS = 200;
/** Timeout of a statement: the longest read a month of an account. */
const STATEMENT_TIMEOUT = '10min';

export interface ReconcileOptions {
  /** Time limit of the run, checked after each slice; the next run continues. */
  budgetMs: number;
  /**
   * `running`: continues the running pass, or begins one. `new`: begins one now, in place of the running one. A time: the pass
   * that began then must be complete, or one that began later.
   */
  pass: 'running' | 'new' | number;
  size?: SliceSize;
  nowMs?: () => number;
}

export interface ReconcileReport extends Checked {
  /** Whether the pass is complete. */
  complete: boolean;
  /** When it began, Unix milliseconds. Once it is complete, everything posted before is reconciled. */
  beganMs: number;
  /** Open findings, including those of earlier passes; at most 1,000, oldest first. */
  findings: Finding[];
  findingsTotal: number;
}

/**
 * Reconciles the ledger while it runs: a pass checks all accounts in order, in slices of bounded size. Several runs may work
 * on it; they take turns.
 */
export async function reconcile(pool: Pool, options: ReconcileOptions): Promise<ReconcileReport> {
  const nowMs = options.nowMs ?? Date.now;
  const deadline = nowMs() + options.budgetMs;
  if (typeof options.pass === 'string') await withRetries(() => beginPass(pool, options.pass === 'new'));
  let pass = await readPass(pool);
  const wantedMs = typeof options.pass === 'number' ? options.pass : (pass.beganMs ?? pass.lastBeganMs);
  while (pass.lastBeganMs < wantedMs && nowMs() < deadline) {
    pass = await withRetries(() => takeSlice(pool, options.size ?? SLICE_SIZE));
  }
  const { findings, total } = await listFindings(pool, MAX_REPORTED);
  const { accounts, charges, transfers } = pass;
  const complete = pass.lastBeganMs >= wantedMs;
  return { complete, beganMs: wantedMs, accounts, charges, transfers, findings, findingsTotal: total };
}

/**
 * Checks the next slice of the running pass in one snapshot; begins a pass if none runs.
 *
 * @returns the pass afterwards
 */
function takeSlice(pool: Pool, size: SliceSize): Promise<Pass> {
  return inTransaction(pool, async (client) => {
    await takeTurn(client);
    // Large tables are read by index.
    await client.query(`
      SELECT set_config('statement_timeout', '${STATEMENT_TIMEOUT}', true), set_config('enable_seqscan', 'off', true),
             set_config('jit', 'off', true)`);
    const { beganMs, at } = await readPass(client);
    if (beganMs === undefined) {
      await beginPass(client, false);
      return readPass(client);
    }
    const slice = await nextSlice(client, at, size);
    const { findings, charges, transfers } = await checkSlice(client, slice, MAX_FINDINGS);
    await clearFindings(client, slice, beganMs);
    await storeFindings(client, findings);
    const accounts = await countAccounts(client, slice.from.accountId, slice.end.accountId);
    const isLast = slice.end.accountId === END.accountId;
    await advancePass(client, isLast ? undefined : slice.end, { accounts, charges, transfers });
    return readPass(client);
  });
}
