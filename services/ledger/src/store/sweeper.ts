import type { Queryable } from '@tollgate/common/postgres/pool';

export interface Tick {
  /** The database's clock at the tick, as its text. */
  now: string;
  /** Whether dead sessions may be ended at this tick. */
  mayExpire: boolean;
}

/**
 * Advances the sweeper's clock. If the last tick is older than `gapMs` (or in the future: the clock was set), no ledger was
 * running or the database was down, so heartbeats could not be recorded: nothing expires for `keepMs` then.
 */
export async function tickSweeper(db: Queryable, gapMs: number, keepMs: number): Promise<Tick> {
  const { rows } = await db.query<{ now: string; may_expire: boolean }>({
    name: 'tick-sweeper',
    text: `
      UPDATE ledger.sweeper SET
        last_tick_at = t.now,
        quiet_until = CASE
          WHEN last_tick_at IS NULL
            OR t.now NOT BETWEEN last_tick_at - t.gap AND last_tick_at + t.gap
            THEN t.now + $2 * interval '1 millisecond'
          ELSE quiet_until
        END
      FROM (SELECT clock_timestamp() AS now, $1 * interval '1 millisecond' AS gap) t
      RETURNING t.now::text AS now, t.now >= quiet_until AS may_expire`,
    values: [gapMs, keepMs],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('ledger.sweeper has no row');
  return { now: row.now, mayExpire: row.may_expire };
}
