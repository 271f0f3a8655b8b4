import type { Queryable } from '@tollgate/common/postgres/pool';

/** The last event whose e-mails are queued. The first call sets it to the given one. */
export async function readAlertCursor(db: Queryable, first: string): Promise<string> {
  const { rows } = await db.query<{ event_id: string }>('SELECT event_id FROM console.alert_cursor');
  if (rows[0] !== undefined) return rows[0].event_id;
  await db.query('INSERT INTO console.alert_cursor (event_id) VALUES ($1) ON CONFLICT DO NOTHING', [first]);
  return readAlertCursor(db, first);
}

/** Moves the cursor; false, and it stays, when another replica has moved it. Locks it until the end of the transaction. */
export async function moveAlertCursor(db: Queryable, from: string, to: string): Promise<boolean> {
  const { rowCount } = await db.query('UPDATE console.alert_cursor SET event_id = $2 WHERE event_id = $1', [from, to]);
  return rowCount === 1;
}
