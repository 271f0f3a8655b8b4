import type { Queryable } from '@tollgate/common/postgres/pool';

/** Whether the account had an event of a pause for this reason since a time, by the database's clock. */
export async function hadPauseEvent(
  db: Queryable,
  { accountId, reason, withinMs }: { accountId: string; reason: string; withinMs: number },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'had-pause-event',
    text: `SELECT FROM payments.events WHERE account_id = $1 AND data ->> 'reason' = $2
             AND created_at_ms > extract(epoch FROM clock_timestamp()) * 1000 - $3 LIMIT 1`,
    values: [accountId, reason, withinMs],
  });
  return (rowCount ?? 0) > 0;
}
