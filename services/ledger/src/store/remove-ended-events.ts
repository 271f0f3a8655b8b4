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
  const { rowCount } = await db.query({
    name: 'remove-ended-events',
    text: `
      WITH old AS MATERIALIZED (
        SELECT account_id, event_id FROM ledger.events
        WHERE state <> 'pending' AND (state = 'given_up') = $1
          AND ended_at < statement_timestamp() - $2 * interval '1 millisecond'
        ORDER BY ended_at LIMIT $3 FOR UPDATE SKIP LOCKED
      )
      DELETE FROM ledger.events e USING old
      WHERE e.account_id = old.account_id AND e.event_id = old.event_id`,
    values: [which.givenUp, which.keepMs, limit],
  });
  return rowCount ?? 0;
}
