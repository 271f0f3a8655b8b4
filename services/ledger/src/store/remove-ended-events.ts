import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * Removes events that ended longer ago than they are kept: those given up, or all others.
 *
 * @returns how many, at most `limit`
 */
export async function removeEndedEvents(
  db: Queryable,
  which: { givenUp: boolean; keepMs: number },
  limit: number,
): Promise<number> {
  // By place, as a join would read the whole table where the planner cannot know how few rows the limit leaves.
  const { rowCount } = await db.query({
    name: 'remove-ended-events',
    text: `
      DELETE FROM ledger.events WHERE ctid = ANY (ARRAY (
        SELECT ctid FROM ledger.events
        WHERE state <> 'pending' AND (state = 'given_up') = $1
          AND ended_at < statement_timestamp() - $2 * interval '1 millisecond'
        ORDER BY ended_at LIMIT $3 FOR UPDATE SKIP LOCKED
      ))`,
    values: [which.givenUp, which.keepMs, limit],
  });
  return rowCount ?? 0;
}
