import type { Queryable } from '@tollgate/common/postgres/pool';

/** An event of an account, as its e-mails show it. */
export interface AlertedEvent {
  event_id: string;
  account_id: string;
  type: string;
  /** As of the ledger's event. */
  data: unknown;
  happened_at: Date;
  /** The account gets no more e-mails of this kind for a day. */
  is_last_of_day: boolean;
}

/** Queues an e-mail about an event for each recipient. */
export async function insertAlertMails(
  db: Queryable,
  event: AlertedEvent,
  personIds: readonly string[],
): Promise<void> {
  await db.query(
    `INSERT INTO console.alert_mails (event_id, account_id, type, data, happened_at, is_last_of_day, person_id)
     SELECT $1, $2, $3, $4, $5, $6, unnest($7::uuid[]) ON CONFLICT DO NOTHING`,
    [
      event.event_id,
      event.account_id,
      event.type,
      JSON.stringify(event.data),
      event.happened_at,
      event.is_last_of_day,
      personIds,
    ],
  );
}

/** How many events of a type had e-mails in an account since a time. */
export async function countAlertedEvents(
  db: Queryable,
  { accountId, type, since }: { accountId: string; type: string; since: Date },
): Promise<number> {
  const { rows } = await db.query<{ events: number }>(
    `SELECT count(DISTINCT event_id)::int AS events FROM console.alert_mails
     WHERE account_id = $1 AND happened_at > $3 AND type = $2`,
    [accountId, type, since],
  );
  return rows[0]?.events ?? 0;
}

export interface ClaimedMail extends AlertedEvent {
  person_id: string;
  /** Attempts so far, including this claim's; distinguishes the claim from others. */
  attempts: number;
}

/** Claims e-mails that are due, those due first first. No other claim gets them until this one expires. */
export async function claimAlertMails(db: Queryable, limit: number, claimMs: number): Promise<ClaimedMail[]> {
  const { rows } = await db.query<ClaimedMail>(
    `WITH due AS MATERIALIZED (
       SELECT event_id, person_id FROM console.alert_mails
       WHERE state = 'pending' AND next_attempt_at <= statement_timestamp()
       ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED
     )
     UPDATE console.alert_mails m
     SET attempts = m.attempts + 1, next_attempt_at = statement_timestamp() + $2 * interval '1 millisecond'
     FROM due WHERE m.event_id = due.event_id AND m.person_id = due.person_id
     RETURNING m.event_id, m.person_id, m.account_id, m.type, m.data, m.happened_at, m.is_last_of_day, m.attempts`,
    [limit, claimMs],
  );
  return rows;
}

export type EndedState = 'sent' | 'rejected' | 'withdrawn' | 'given_up';

/** Ends a claimed e-mail, unless another claim has taken it over. */
export async function endAlertMail(db: Queryable, mail: ClaimedMail, state: EndedState): Promise<void> {
  await db.query(
    `UPDATE console.alert_mails SET state = $4, next_attempt_at = NULL, ended_at = statement_timestamp()
     WHERE event_id = $1 AND person_id = $2 AND state = 'pending' AND attempts = $3`,
    [mail.event_id, mail.person_id, mail.attempts, state],
  );
}

/** Sets the next attempt of a claimed e-mail, unless another claim has taken it over. */
export async function postponeAlertMail(db: Queryable, mail: ClaimedMail, delayMs: number): Promise<void> {
  await db.query(
    `UPDATE console.alert_mails SET next_attempt_at = statement_timestamp() + $4 * interval '1 millisecond'
     WHERE event_id = $1 AND person_id = $2 AND state = 'pending' AND attempts = $3`,
    [mail.event_id, mail.person_id, mail.attempts, delayMs],
  );
}

/** The e-mails of an event. Those withdrawn are not counted. */
export interface MailCounts {
  sent: number;
  pending: number;
  failed: number;
}

/** The e-mails of events, by event; events without any are missing. */
export async function countAlertMails(db: Queryable, eventIds: readonly string[]): Promise<Map<string, MailCounts>> {
  const { rows } = await db.query<MailCounts & { event_id: string }>(
    `SELECT event_id,
       (count(*) FILTER (WHERE state = 'sent'))::int AS sent,
       (count(*) FILTER (WHERE state = 'pending'))::int AS pending,
       (count(*) FILTER (WHERE state IN ('rejected', 'given_up')))::int AS failed
     FROM console.alert_mails WHERE event_id = ANY ($1::uuid[]) GROUP BY event_id`,
    [eventIds],
  );
  return new Map(rows.map(({ event_id: eventId, ...counts }) => [eventId, counts]));
}

/** Removes e-mails that ended a week ago, when the ledger removes most events; returns how many. */
export async function deleteOldAlertMails(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM console.alert_mails WHERE ctid = ANY (ARRAY (
       SELECT ctid FROM console.alert_mails
       WHERE state <> 'pending' AND ended_at < statement_timestamp() - interval '7 days'
       ORDER BY ended_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [limit],
  );
  return rowCount ?? 0;
}
