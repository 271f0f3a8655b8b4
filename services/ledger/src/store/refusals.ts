import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import type { Refusal, RefusingLimit } from '@tollgate/proto/ledger';
import { arrayText } from './batch.ts';
import { countedNodes } from './ceilings.ts';
import { pathConditions } from './path-conditions.ts';
import type { TimeRange } from './time.ts';
import type { UsageFilter } from './usage.ts';

/** Refusals kept of each account. */
export const MAX_KEPT = 1_000;

interface RefusalRow {
  account_id: string;
  request_id: string;
  key_id: string;
  trace_id: string;
  refused_at_ms: bigint;
  http_status: number;
  key_name: string;
  model: string;
  protocol_in: string;
  error_type: string;
  reason: string;
  message: string;
  client_session_id: string | null;
  limit_scope: string | null;
  limit_id: string | null;
  limit_name: string | null;
  limit_window: string | null;
  limit_project_id: string | null;
  node_ids: string[] | null;
}

const COLUMNS = `account_id, request_id, key_id, trace_id, refused_at_ms, http_status, key_name, model, protocol_in,
  error_type, reason, message, client_session_id, limit_scope, limit_id, limit_name, limit_window, limit_project_id, node_ids`;
/** As text, which the client reads as an array. */
const SELECTED = COLUMNS.replace(/node_ids$/, 'node_ids::text[]');

function refusalFromRow(row: RefusalRow): Refusal {
  return {
    requestId: row.request_id,
    traceId: row.trace_id.replaceAll('-', ''),
    accountId: row.account_id,
    keyId: row.key_id,
    keyName: row.key_name,
    model: row.model,
    protocolIn: row.protocol_in,
    httpStatus: row.http_status,
    errorType: row.error_type,
    reason: row.reason,
    message: row.message,
    refusedAtMs: row.refused_at_ms,
    clientSessionId: row.client_session_id ?? '',
    nodes: (row.node_ids ?? []).map((nodeId) => ({ nodeId, caps: [], name: '', scope: '' })),
    limit: limitFromRow(row),
  };
}

function limitFromRow(row: RefusalRow): RefusingLimit | undefined {
  const { limit_scope: scope, limit_id: id, limit_window: window } = row;
  if (scope === null || id === null || window === null) return undefined;
  return { scope, id, name: row.limit_name ?? '', window, projectId: row.limit_project_id ?? '' };
}

/**
 * Records refusals, in order of their keys, so that batches with the same ones cannot deadlock.
 *
 * @param refusals with ids in lower case
 * @returns those that were not recorded before
 */
export async function insertRefusals(client: PoolClient, refusals: readonly Refusal[]): Promise<Refusal[]> {
  const sorted = [...refusals].sort((a, b) => compare(a.accountId, b.accountId) || compare(a.requestId, b.requestId));
  const { rows } = await client.query<{ account_id: string; request_id: string }>({
    name: 'insert-refusals',
    text: `
      INSERT INTO ledger.refusals (${COLUMNS})
      SELECT ${COLUMNS.replace(/node_ids$/, 'node_ids::uuid[]')} FROM unnest(
        $1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::int[], $7::text[], $8::text[], $9::text[],
        $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::uuid[],
        $19::text[]
      ) AS r (${COLUMNS})
      ON CONFLICT (account_id, request_id) DO NOTHING
      RETURNING account_id::text, request_id::text`,
    values: [
      arrayText(sorted.map((refusal) => refusal.accountId)),
      arrayText(sorted.map((refusal) => refusal.requestId)),
      arrayText(sorted.map((refusal) => refusal.keyId)),
      arrayText(sorted.map((refusal) => refusal.traceId)),
      arrayText(sorted.map((refusal) => refusal.refusedAtMs)),
      arrayText(sorted.map((refusal) => refusal.httpStatus)),
      sorted.map((refusal) => refusal.keyName),
      sorted.map((refusal) => refusal.model),
      sorted.map((refusal) => refusal.protocolIn),
      sorted.map((refusal) => refusal.errorType),
      sorted.map((refusal) => refusal.reason),
      sorted.map((refusal) => refusal.message),
      sorted.map((refusal) => emptyAsNull(refusal.clientSessionId)),
      sorted.map(({ limit }) => limit?.scope),
      sorted.map(({ limit }) => limit?.id),
      sorted.map(({ limit }) => limit?.name),
      sorted.map(({ limit }) => limit?.window),
      sorted.map(({ limit }) => emptyAsNull(limit?.projectId ?? '')),
      sorted.map(({ nodes }) =>
        nodes.length === 0 ? null : arrayText(countedNodes({ nodes }).map(({ nodeId }) => nodeId)),
      ),
    ],
  });
  const added = new Set(rows.map((row) => `${row.account_id}/${row.request_id}`));
  return sorted.filter(({ accountId, requestId }) => added.delete(`${accountId}/${requestId}`));
}

function emptyAsNull(text: string): string | null {
  return text === '' ? null : text;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Deletes what `old` has locked. As arrays, because the planner cannot know how few rows that are: it would scan for a join. */
const DELETE_OLD = `
  DELETE FROM ledger.refusals r
  USING unnest((SELECT array_agg(account_id) FROM old), (SELECT array_agg(request_id) FROM old)) AS o (account_id, request_id)
  WHERE r.account_id = o.account_id AND r.request_id = o.request_id`;

/**
 * Removes all but the latest refusals of accounts. Rows that another batch removes at the same time are left to it.
 *
 * Postgres runs the subquery with FOR UPDATE for each account. It could run a plain join as a scan of the refusals of all
 * accounts.
 */
export async function trimRefusals(client: PoolClient, accountIds: readonly string[]): Promise<void> {
  await client.query({
    name: 'trim-refusals',
    text: `
      WITH old AS MATERIALIZED (
        SELECT a.account_id, older.request_id FROM unnest($1::uuid[]) AS a (account_id)
        CROSS JOIN LATERAL (
          SELECT request_id FROM ledger.refusals
          WHERE account_id = a.account_id ORDER BY request_id DESC OFFSET ${MAX_KEPT} LIMIT 1
        ) beyond
        CROSS JOIN LATERAL (
          SELECT request_id FROM ledger.refusals
          WHERE account_id = a.account_id AND request_id <= beyond.request_id
          FOR UPDATE SKIP LOCKED
        ) older
      )
      ${DELETE_OLD}`,
    values: [accountIds],
  });
}

export interface RefusalFilter extends UsageFilter {
  model?: string | undefined;
  reason?: string | undefined;
  clientSessionId?: string | undefined;
}

/** A page of an account's refusals, newest first by request_id. An account has few, so a filter reads all of them. */
export async function listRefusals(
  db: Queryable,
  accountId: string,
  range: TimeRange,
  filter: RefusalFilter,
  beforeId: string | undefined,
  limit: number,
): Promise<Refusal[]> {
  const values: unknown[] = [accountId, range.startMs, range.endMs, limit];
  const conditions = ['account_id = $1', 'refused_at_ms >= $2', 'refused_at_ms < $3'];
  const where = (condition: (place: string) => string, value: unknown) => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  where((place) => `request_id < ${place}`, beforeId);
  conditions.push(...pathConditions(filter, values, { unnamed: false }));
  where((place) => `model = ${place}`, filter.model);
  where((place) => `reason = ${place}`, filter.reason);
  where((place) => `client_session_id = ${place}`, filter.clientSessionId);
  // Not a named statement: planned for any range, it would read the refusals of all accounts by time.
  const { rows } = await db.query<RefusalRow>(
    `SELECT ${SELECTED} FROM ledger.refusals WHERE ${conditions.join(' AND ')} ORDER BY request_id DESC LIMIT $4`,
    values,
  );
  return rows.map(refusalFromRow);
}

/** What identifies a refusal. Trace ids are 32 hex digits. */
export type RefusalName = { by: 'request_id' | 'trace_id'; id: string };

/** One refusal of an account; the latest if several have the trace id. */
export async function findRefusal(
  db: Queryable,
  accountId: string,
  name: RefusalName,
  { keysAndBelow, projectIds }: UsageFilter,
): Promise<Refusal | undefined> {
  const { rows } = await db.query<RefusalRow>({
    name: `find-refusal-by-${name.by}`,
    text: `
      SELECT ${SELECTED} FROM ledger.refusals
      WHERE account_id = $1 AND ${name.by} = $2 AND ($3::uuid[] IS NULL OR key_id = ANY ($3) OR node_ids && $3)
        AND ($4::uuid[] IS NULL OR node_ids && $4)
      ORDER BY request_id DESC LIMIT 1`,
    values: [accountId, name.id, keysAndBelow, projectIds],
  });
  const row = rows[0];
  return row && refusalFromRow(row);
}

/** Removes refusals from before a time. @returns how many, at most `limit` */
export async function removeOldRefusals(db: Queryable, beforeMs: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'remove-old-refusals',
    text: `
      WITH old AS MATERIALIZED (
        SELECT account_id, request_id FROM ledger.refusals WHERE refused_at_ms < $1 ORDER BY refused_at_ms LIMIT $2
        FOR UPDATE SKIP LOCKED
      )
      ${DELETE_OLD}`,
    values: [beforeMs, limit],
  });
  return rowCount ?? 0;
}
