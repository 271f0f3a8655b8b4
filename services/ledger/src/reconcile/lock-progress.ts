import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { monthStart } from '../request-time.ts';
import { oldestMonth } from '../store/list-partitions.ts';

/** How far reconciliation has come. */
export interface Progress {
  /** Every entry up to this time is summed, Unix milliseconds. */
  untilMs: number;
  /** How much time the next step takes in. */
  sliceMs: number;
  /** The account after which the patrol over all accounts goes on. */
  patrolAfter: string;
  /** The account after which a full pass goes on. */
  fullAfter: string;
}

const DAY_BEFORE_MS = 86_400_000;

/** How long a step waits for that of another run; in line, so that none is passed over. */
const STEP_WAIT_MS = 5_000;

/**
 * Runs one step of reconciliation: a short transaction that holds the row of its progress, so that of several replicas
 * one takes a step at a time. Large tables are read by their indexes; a statement runs at most `timeoutMs`.
 */
export function inStep<T>(
  pool: Pool,
  timeoutMs: number,
  work: (client: PoolClient, progress: Progress) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (client) => {
    await client.query(`
      SELECT set_config('statement_timeout', '${timeoutMs}', true), set_config('enable_seqscan', 'off', true),
             set_config('jit', 'off', true), set_config('lock_timeout', '${STEP_WAIT_MS}', true)`);
    const { rows } = await client.query<{
      until_ms: bigint;
      slice_ms: bigint;
      patrol_after: string;
      full_after: string;
    }>({
      name: 'lock-reconciliation',
      text: `
        SELECT until_ms, slice_ms, patrol_after::text, full_after::text FROM ledger.reconciliation FOR UPDATE`,
    });
    const row = rows[0];
    if (row === undefined) throw new Error('ledger.reconciliation has no row');
    return work(client, {
      untilMs: row.until_ms > 0n ? Number(row.until_ms) : await firstTime(client),
      sliceMs: Number(row.slice_ms),
      patrolAfter: row.patrol_after,
      fullAfter: row.full_after,
    });
  });
}

/** A time before any entry: no partition holds older ones. */
async function firstTime(client: PoolClient): Promise<number> {
  const oldest = await oldestMonth(client);
  return (oldest ?? monthStart(Date.now())) - DAY_BEFORE_MS;
}
