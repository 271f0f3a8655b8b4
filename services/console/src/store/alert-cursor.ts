import type { Queryable } from '@tollgate/common/postgres/pool';

const TABLES = {
  auth: 'console.auth_alert_cursor',
  ledger: 'console.alert_cursor',
  payments: 'console.payments_alert_cursor',
} as const;

/** Whose events are mailed. */
export type AlertSource = keyof typeof TABLES;

/** The last event of a source whose e-mails are queued. The first call sets it to the given one. */
export async function readAlertCursor(db: Queryable, source: AlertSource, first: string): Promise<string> {
  const { rows } = await db.query<{ event_id: string }>(`SELECT event_id FROM ${TABLES[source]}`);
  if (rows[0] !== undefined) return rows[0].event_id;
  await db.query(`INSERT INTO ${TABLES[source]} (event_id) VALUES ($1) ON CONFLICT DO NOTHING`, [first]);
  return readAlertCursor(db, source, first);
}

/** Moves the cursor; false, and it stays, when another replica has moved it. Locks it until the end of the transaction. */
export async function moveAlertCursor(
  db: Queryable,
  source: AlertSource,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const { rowCount } = await db.query(`UPDATE ${TABLES[source]} SET event_id = $2 WHERE event_id = $1`, [from, to]);
  return rowCount === 1;
}
