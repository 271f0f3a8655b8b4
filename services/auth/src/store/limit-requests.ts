import type { CeilingPeriodLabel } from '@tollgate/common/cap-periods';
import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import { type Creator, GrantDuration, type LimitRequest, LimitRequestStatus } from '@tollgate/proto/auth';
import { millisecondsOf } from './columns.ts';

/** What can have a limit. */
export const LIMIT_SCOPES = ['project', 'service_account', 'member', 'key', 'session'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

type Status = 'open' | 'granted' | 'declined' | 'withdrawn';

/** A row of auth.limit_requests, with the name of its key. */
export interface LimitRequestRow {
  account_id: string;
  limit_request_id: string;
  key_id: string;
  key_name: string;
  scope: LimitScope;
  node_id: string;
  node_name: string;
  project_id: string | null;
  period: CeilingPeriodLabel;
  reason: string;
  asked_nanos: bigint | null;
  limit_nanos: bigint | null;
  asked_by_id: string;
  asked_by_name: string;
  created_at: Date;
  status: Status;
  answered_by_id: string | null;
  answered_by_name: string;
  answered_at: Date | null;
  granted_nanos: bigint | null;
  granted_always: boolean | null;
  granted_until: Date | null;
  note: string;
}

/** Columns of a limit request, in the shape of `LimitRequestRow`, of auth.limit_requests as `r`. */
const COLUMNS = `r.account_id, r.limit_request_id, r.key_id, (SELECT k.name FROM auth.keys k WHERE k.key_id = r.key_id) AS key_name,
  r.scope, r.node_id, r.node_name, r.project_id, r.period, r.reason, r.asked_nanos, r.limit_nanos, r.asked_by_id, r.asked_by_name,
  r.created_at, r.status, r.answered_by_id, r.answered_by_name, r.answered_at, r.granted_nanos, r.granted_always,
  r.granted_until, r.note`;

const STATUSES: Readonly<Record<Status, LimitRequestStatus>> = {
  open: LimitRequestStatus.OPEN,
  granted: LimitRequestStatus.GRANTED,
  declined: LimitRequestStatus.DECLINED,
  withdrawn: LimitRequestStatus.WITHDRAWN,
};

/** The wire form of a limit request. @param seesMembers whether the caller sees the names of members */
export function toLimitRequest(row: LimitRequestRow, seesMembers: boolean): LimitRequest {
  return {
    limitRequestId: row.limit_request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    keyName: row.key_name,
    scope: row.scope,
    id: row.scope === 'session' ? row.node_name : row.node_id,
    name: row.scope === 'member' && !seesMembers ? '' : row.node_name,
    window: row.period,
    nodeId: row.node_id,
    status: STATUSES[row.status],
    reason: row.reason,
    amountNanos: row.asked_nanos ?? undefined,
    limitNanos: row.limit_nanos ?? undefined,
    askedBy: { personId: row.asked_by_id, name: row.asked_by_name },
    createdAtMs: millisecondsOf(row.created_at),
    answeredBy: answeredBy(row),
    answeredAtMs: millisecondsOf(row.answered_at),
    grantedNanos: row.granted_nanos ?? undefined,
    grantedFor: durationOf(row.granted_always),
    grantedUntilMs: millisecondsOf(row.granted_until),
    note: row.note,
    projectId: row.project_id ?? '',
  };
}

function answeredBy({ answered_at, answered_by_id, answered_by_name }: LimitRequestRow): Creator | undefined {
  if (answered_at === null || answered_by_id === null) return undefined;
  return { personId: answered_by_id, name: answered_by_name };
}

function durationOf(always: boolean | null): GrantDuration {
  if (always === null) return GrantDuration.UNSPECIFIED;
  return always ? GrantDuration.ALWAYS : GrantDuration.WINDOW;
}

export type LimitRequestToInsert = Omit<
  LimitRequestRow,
  | 'key_name'
  | 'created_at'
  | 'status'
  | 'answered_by_id'
  | 'answered_by_name'
  | 'answered_at'
  | 'granted_nanos'
  | 'granted_always'
  | 'granted_until'
  | 'note'
>;

/** Inserts an open limit request of a locked account. Undefined: the same person asks for the same already. */
export async function insertLimitRequest(
  db: Queryable,
  row: LimitRequestToInsert,
): Promise<LimitRequestRow | undefined> {
  const { rows } = await db.query<LimitRequestRow>(
    `INSERT INTO auth.limit_requests AS r
       (account_id, limit_request_id, key_id, scope, node_id, node_name, project_id, period, reason, asked_nanos, limit_nanos,
        asked_by_id, asked_by_name)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     ON CONFLICT (account_id, node_id, period, asked_by_id) WHERE status = 'open' DO NOTHING
     RETURNING ${COLUMNS}`,
    [
      row.account_id,
      row.limit_request_id,
      row.key_id,
      row.scope,
      row.node_id,
      row.node_name,
      row.project_id,
      row.period,
      row.reason,
      row.asked_nanos,
      row.limit_nanos,
      row.asked_by_id,
      row.asked_by_name,
    ],
  );
  return rows[0];
}

/** How many are open in an account. */
export async function countOpenLimitRequests(db: Queryable, accountId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM auth.limit_requests WHERE account_id = $1 AND status = 'open'`,
    [accountId],
  );
  return onlyRow(rows, 'a count returned no row').count;
}

/** Removes the oldest answered ones of an account, so that so many stay. Their audit entries stay. */
export async function removeOldLimitRequests(db: Queryable, accountId: string, kept: number): Promise<void> {
  await db.query(
    `DELETE FROM auth.limit_requests WHERE account_id = $1 AND status <> 'open' AND limit_request_id < (
       SELECT limit_request_id FROM auth.limit_requests WHERE account_id = $1
       ORDER BY limit_request_id DESC OFFSET $2 LIMIT 1)`,
    [accountId, kept],
  );
}

/** Which limit requests are visible: all of an account, or one person's. */
export interface LimitRequestScope {
  accountId: string;
  askedById: string | undefined;
}

/** Finds a limit request. @param lock until the end of the transaction */
export async function findLimitRequest(
  db: Queryable,
  { accountId, askedById }: LimitRequestScope,
  limitRequestId: string,
  lock = false,
): Promise<LimitRequestRow | undefined> {
  const { rows } = await db.query<LimitRequestRow>(
    `SELECT ${COLUMNS} FROM auth.limit_requests r
     WHERE r.account_id = $1 AND r.limit_request_id = $2 AND r.asked_by_id = coalesce($3::uuid, r.asked_by_id)
     ${lock ? 'FOR UPDATE OF r' : ''}`,
    [accountId, limitRequestId, askedById],
  );
  return rows[0];
}

/** A page of limit requests, newest first. */
export async function listLimitRequests(
  db: Queryable,
  { accountId, askedById }: LimitRequestScope,
  { open, before, limit }: { open: boolean; before: string | undefined; limit: number },
): Promise<LimitRequestRow[]> {
  const { rows } = await db.query<LimitRequestRow>(
    `SELECT ${COLUMNS} FROM auth.limit_requests r
     WHERE r.account_id = $1 AND r.limit_request_id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
       AND r.asked_by_id = coalesce($4::uuid, r.asked_by_id) ${open ? `AND r.status = 'open'` : ''}
     ORDER BY r.limit_request_id DESC LIMIT $3`,
    [accountId, before, limit, askedById],
  );
  return rows;
}

/** An answer, or that it was withdrawn. */
export interface Answer {
  status: Exclude<Status, 'open'>;
  by: { id: string; name: string };
  note: string;
  /** Undefined unless it is granted. */
  granted?: { nanos: bigint; always: boolean; untilMs: number | undefined };
}

/** Answers a locked limit request that is open. */
export async function answerLimitRequest(
  db: Queryable,
  { account_id, limit_request_id }: LimitRequestRow,
  { status, by, note, granted }: Answer,
): Promise<LimitRequestRow> {
  const { rows } = await db.query<LimitRequestRow>(
    `UPDATE auth.limit_requests r
     SET status = $3, answered_by_id = nullif($4, '')::uuid, answered_by_name = $5, answered_at = clock_timestamp(), note = $6,
         granted_nanos = $7, granted_always = $8, granted_until = $9
     WHERE r.account_id = $1 AND r.limit_request_id = $2 AND r.status = 'open'
     RETURNING ${COLUMNS}`,
    [
      account_id,
      limit_request_id,
      status,
      by.id,
      by.name,
      note,
      granted?.nanos ?? null,
      granted?.always ?? null,
      granted?.untilMs === undefined ? null : new Date(granted.untilMs),
    ],
  );
  return onlyRow(rows, 'a locked limit request is gone');
}
