import { RpcError } from '@tollgate/common/errors';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { oldestMonth } from '../store/partitions.ts';
import { codeOf } from '../store/retry.ts';
import { monthStart } from '../store/time.ts';

/** The progress of reconciliation. */
export interface Progress {
  /** All entries up to this time are summed, Unix milliseconds. */
  untilMs: number;
  /** Time span of the next step. */
  sliceMs: number;
  /** The account after which the background scan over all accounts continues. */
  scanAfter: string;
  /** The account after which a full scan continues. */
  fullAfter: string;
}

const DAY_BEFORE_MS = 86_400_000;

/** How long a step waits for a step of another run. Waiting steps queue, so none starves. */
const STEP_WAIT_MS = 5_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs one step of reconciliation: a short transaction that locks the row of its progress, so that replicas take turns.
 * Large tables are read by their indexes; a statement runs for at most `timeoutMs`.
 *
 * @throws RpcError `unavailable` if the step of another run does not end in time
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
    const row = await lockProgress(client);
    return work(client, {
      untilMs: row.until_ms > 0n ? Number(row.until_ms) : await firstTime(client),
      sliceMs: Number(row.slice_ms),
      scanAfter: row.background_after,
      fullAfter: row.full_after,
    });
  });
}

interface ProgressRow {
  until_ms: bigint;
  slice_ms: bigint;
  background_after: string;
  full_after: string;
}

/** Locks the row. Without retries after a timeout: they would only start at the end of the queue. */
async function lockProgress(client: PoolClient): Promise<ProgressRow> {
  const { rows } = await client
    .query<ProgressRow>({
      name: 'lock-reconciliation',
      text: `
        SELECT until_ms, slice_ms, background_after::text, full_after::text FROM ledger.reconciliation FOR UPDATE`,
    })
    .catch((error: unknown) => {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      throw new RpcError('unavailable', 'another reconciliation is running: try again when it has ended', {
        cause: error,
      });
    });
  const row = rows[0];
  if (row === undefined) throw new Error('ledger.reconciliation has no row');
  return row;
}

/** A time before any entry: no partition holds older ones. */
async function firstTime(client: PoolClient): Promise<number> {
  const oldest = await oldestMonth(client);
  return (oldest ?? monthStart(Date.now())) - DAY_BEFORE_MS;
}
