import { RpcError } from '@tollgate/common/errors';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { detachCharges, listPartitions, partitionName } from '../store/partitions.ts';
import { markArchived, readReconciliationStatus } from '../store/reconciliation.ts';
import { DAY_MS, MAX_LATENESS_MS, monthName, monthStart } from '../store/time.ts';

/** Minimum time from the end of a month to its archiving. */
export const ARCHIVE_AFTER_MS = MAX_LATENESS_MS;

/** How long archiving may wait for locks of the tables. Everything that queues behind it waits as long. */
const LOCK_TIMEOUT_MS = 1_000;

/**
 * Archives the oldest month of charges if it lies before a time: their table moves to the schema ledger_archive. Their sums stay
 * in the roll-ups, so the month must have no lease that they prove.
 *
 * @param beforeMs months that end at or before this time
 * @returns the start of the month, Unix milliseconds; undefined when there is no such month
 * @throws RpcError failed_precondition: charges of the month may still arrive, or it is not fully reconciled
 */
export async function archiveOldest(pool: Pool, beforeMs: number, nowMs: number): Promise<number | undefined> {
  const [monthMs = Infinity] = await listPartitions(pool, 'charges');
  const endMs = monthStart(monthMs, 1);
  if (!Number.isFinite(monthMs) || endMs > beforeMs) return undefined;
  if (endMs + ARCHIVE_AFTER_MS > nowMs) {
    throw new RpcError(
      'failed_precondition',
      `charges of ${monthName(monthMs)} may still arrive: archive it from ${dateOf(endMs + ARCHIVE_AFTER_MS)} on`,
    );
  }
  return inTransaction(pool, async (client) => {
    await client.query(`
      SELECT set_config('lock_timeout', '${LOCK_TIMEOUT_MS}ms', true), set_config('statement_timeout', '0', true)`);
    // The lock of partition creation.
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('tollgate-ledger-partitions', 0))");
    if ((await readReconciliationStatus(client)).untilMs < endMs + ARCHIVE_AFTER_MS - DAY_MS) {
      throw new RpcError(
        'failed_precondition',
        `${monthName(monthMs)} is not fully reconciled: run the task reconcile first`,
      );
    }
    const { rows } = await client.query<{ ingress_name: string }>(`
      SELECT s.ingress_name FROM (SELECT DISTINCT session_id FROM ledger.${partitionName('charges', monthMs)}) c
      JOIN ledger.sessions s USING (session_id) WHERE NOT s.leases_gone LIMIT 1`);
    if (rows[0] !== undefined) {
      throw new RpcError(
        'failed_precondition',
        `a session of ${rows[0].ingress_name} has charges of ${monthName(monthMs)} and is open or closed recently: if it ` +
          'is open, restart that ingress; archive the month once leases of the session are removed',
      );
    }
    await markArchived(client, endMs);
    await detachCharges(client, monthMs);
    return monthMs;
  });
}

function dateOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10);
}
