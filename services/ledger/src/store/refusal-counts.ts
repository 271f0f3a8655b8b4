import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { arrayText } from './batch.ts';
import { DAY_MS, HOUR_MS, type TimeRange } from './time.ts';
import { type KeyPlace, placeConditions, type UsageFilter } from './usage.ts';

/** Stands for the keys of refusals that an ingress dropped and only counted. */
export const NO_KEY = '00000000-0000-0000-0000-000000000000';

/** What a batch adds to one count. */
export interface AddedRefusals extends KeyPlace {
  accountId: string;
  /** Start of the day (UTC), Unix milliseconds. */
  dayMs: number;
  /** NO_KEY if it is not known. */
  keyId: string;
  reason: string;
  requests: bigint;
}

/** Adds to counts, each given once; in order of their keys, so that batches cannot deadlock. */
export async function addRefusalCounts(client: PoolClient, added: readonly AddedRefusals[]): Promise<void> {
  await client.query({
    name: 'add-refusal-counts',
    text: `
      INSERT INTO ledger.refusal_counts AS c
        (account_id, day_ms, key_id, reason, requests, project_id, owner_id, root_key_id)
      SELECT * FROM unnest(
        $1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::bigint[], $6::uuid[], $7::uuid[], $8::uuid[]
      ) AS a (account_id, day_ms, key_id, reason, requests, project_id, owner_id, root_key_id)
      ORDER BY account_id, day_ms, key_id, reason
      ON CONFLICT (account_id, day_ms, key_id, reason) DO UPDATE SET requests = c.requests + excluded.requests,
        project_id = coalesce(c.project_id, excluded.project_id),
        owner_id = CASE WHEN c.project_id IS NULL THEN excluded.owner_id ELSE c.owner_id END,
        root_key_id = coalesce(c.root_key_id, excluded.root_key_id)`,
    values: [
      arrayText(added.map((each) => each.accountId)),
      arrayText(added.map((each) => each.dayMs)),
      arrayText(added.map((each) => each.keyId)),
      added.map((each) => each.reason),
      arrayText(added.map((each) => each.requests)),
      added.map((each) => each.projectId),
      added.map((each) => each.ownerId),
      added.map((each) => each.rootKeyId),
    ],
  });
}

export interface ReasonCount {
  reason: string;
  requests: bigint;
}

/**
 * Refused requests by reason, most first. The day in which the range starts is included entirely.
 *
 * A refusal that was only counted, or of a key that was not accepted, is in no project.
 */
export async function countRefusals(
  db: Queryable,
  accountId: string,
  range: TimeRange,
  filter: UsageFilter,
): Promise<ReasonCount[]> {
  const values: unknown[] = [accountId, range.startMs - (range.startMs % DAY_MS), range.endMs];
  const { rows } = await db.query<ReasonCount>(
    `SELECT reason, sum(requests)::bigint AS requests FROM ledger.refusal_counts
     WHERE account_id = $1 AND day_ms >= $2 AND day_ms < $3 ${placeConditions(filter, values, { unnamed: false })}
     GROUP BY reason ORDER BY 2 DESC, reason`,
    values,
  );
  return rows;
}

/** Removes counts of days before a time. @returns how many, at most `limit` */
export async function removeOldRefusalCounts(db: Queryable, beforeMs: number, limit: number): Promise<number> {
  // As arrays, see removeOldRefusals.
  const { rowCount } = await db.query({
    name: 'remove-old-refusal-counts',
    text: `
      WITH old AS MATERIALIZED (
        SELECT account_id, day_ms, key_id, reason FROM ledger.refusal_counts
        WHERE day_ms < $1 ORDER BY day_ms LIMIT $2 FOR UPDATE SKIP LOCKED
      )
      DELETE FROM ledger.refusal_counts c
      USING unnest(
        (SELECT array_agg(account_id) FROM old), (SELECT array_agg(day_ms) FROM old), (SELECT array_agg(key_id) FROM old),
        (SELECT array_agg(reason) FROM old)
      ) AS o (account_id, day_ms, key_id, reason)
      WHERE c.account_id = o.account_id AND c.day_ms = o.day_ms AND c.key_id = o.key_id AND c.reason = o.reason`,
    values: [beforeMs, limit],
  });
  return rowCount ?? 0;
}

/** Counts requests with unknown keys. */
export async function addUnknownKeys(client: PoolClient, nowMs: number, requests: bigint): Promise<void> {
  await client.query({
    name: 'add-unknown-keys',
    text: `
      INSERT INTO ledger.unknown_keys AS u (hour_ms, requests) VALUES ($1, $2)
      ON CONFLICT (hour_ms) DO UPDATE SET requests = u.requests + excluded.requests`,
    values: [nowMs - (nowMs % HOUR_MS), requests],
  });
}

/** Requests with unknown keys since a time, in whole hours. */
export async function countUnknownKeys(db: Queryable, sinceMs: number): Promise<bigint> {
  const { rows } = await db.query<{ requests: bigint }>({
    name: 'count-unknown-keys',
    text: 'SELECT coalesce(sum(requests), 0)::bigint AS requests FROM ledger.unknown_keys WHERE hour_ms > $1',
    values: [sinceMs],
  });
  return rows[0]?.requests ?? 0n;
}

/** Removes counts of unknown keys from before a time. */
export async function removeOldUnknownKeys(db: Queryable, beforeMs: number): Promise<void> {
  await db.query({
    name: 'remove-old-unknown-keys',
    text: 'DELETE FROM ledger.unknown_keys WHERE hour_ms < $1',
    values: [beforeMs],
  });
}
