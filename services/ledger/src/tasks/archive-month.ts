import { RpcError } from '@tollgate/common/errors';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { carryForward } from '../store/carried-forward.ts';
import { detachMonth, listPartitions, partitionName } from '../store/partitions.ts';
import { DAY_MS, monthStart } from '../store/time.ts';

/** Minimum time from the end of a month to its archiving: longer than any charge can be late with any settings. */
export const ARCHIVE_AFTER_MS = 95 * DAY_MS;

/** How long archiving may wait for locks of the tables. Everything that queues behind it waits as long. */
const LOCK_TIMEOUT_MS = 1_000;

export interface Archived {
  /** Start of the month, Unix milliseconds. */
  monthMs: number;
  /** Number of summed entries. */
  charges: number;
  transfers: number;
}

/**
 * Archives the oldest month if it lies before a time: the sums of its charges and transfers are carried forward by account,
 * and its tables move to the schema ledger_archive, in one transaction. Undefined when there is no such month.
 *
 * @param beforeMs months that end at or before this time
 * @throws RpcError failed_precondition: charges of the month may still arrive, or it is not fully reconciled
 */
export async function archiveOldest(pool: Pool, beforeMs: number, nowMs: number): Promise<Archived | undefined> {
  const months = await Promise.all([listPartitions(pool, 'charges'), listPartitions(pool, 'transfers')]);
  const monthMs = Math.min(...months.flat());
  const endMs = monthStart(monthMs, 1);
  if (!Number.isFinite(monthMs) || endMs > beforeMs) return undefined;
  if (endMs + ARCHIVE_AFTER_MS > nowMs) {
    throw new RpcError(
      'failed_precondition',
      `charges of ${monthName(monthMs)} may still arrive: archive it from ${dateOf(endMs + ARCHIVE_AFTER_MS)} on`,
    );
  }
  const tables = { charges: partitionName('charges', monthMs), transfers: partitionName('transfers', monthMs) };
  return inTransaction(pool, async (client) => {
    await client.query(`
      SELECT set_config('lock_timeout', '${LOCK_TIMEOUT_MS}ms', true), set_config('statement_timeout', '0', true)`);
    // The locks of partition creation and of reconciliation: sums and their entries move together.
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('tollgate-ledger-partitions', 0))");
    const { rows } = await client.query<{ until_ms: bigint }>(
      'SELECT until_ms FROM ledger.reconciliation FOR UPDATE NOWAIT',
    );
    if (Number(rows[0]?.until_ms ?? 0) < endMs + ARCHIVE_AFTER_MS - DAY_MS) {
      throw new RpcError(
        'failed_precondition',
        `${monthName(monthMs)} is not fully reconciled: run "tollgate reconcile" first`,
      );
    }
    const sums = await carryForward(client, tables, endMs);
    await detachMonth(client, tables);
    await client.query('UPDATE ledger.reconciliation SET archived_until_ms = $1', [endMs]);
    return { monthMs, ...sums };
  });
}

function monthName(monthMs: number): string {
  return new Date(monthMs).toISOString().slice(0, 7);
}

function dateOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10);
}
