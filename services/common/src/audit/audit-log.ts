import type { AuditEntry } from '@tollgate/proto/audit';
import type { Actor } from '../actors/token.ts';
import { idFloor } from '../ids.ts';
import { DATABASE_TIME_MS } from '../postgres/database-time.ts';
import type { PoolClient, Queryable } from '../postgres/pool.ts';

/** The schemas with a table `audit` of this form. */
export type AuditedSchema = 'ledger' | 'payments';

/** Who made a change. */
export type AuditActor = Pick<Actor, 'id' | 'name' | 'role' | 'via'>;

/** A change, as the audit log shows it. */
export interface NewAuditEntry {
  /** Undefined: the change concerns no account. */
  accountId: string | undefined;
  /** Such as `deposit.create`. */
  action: string;
  targetId: string;
  targetName: string;
  /** The changed attributes with their new values. Never a secret. */
  details: Readonly<Record<string, string>>;
}

/** Records who made a change, in the transaction of the change. */
export async function insertAudit(
  schema: AuditedSchema,
  client: PoolClient,
  actor: AuditActor,
  entry: NewAuditEntry,
): Promise<void> {
  await client.query({
    name: 'insert-audit',
    text: `
      INSERT INTO ${schema}.audit
        (entry_id, account_id, created_at_ms, actor_id, actor_name, actor_role, actor_via, action, target_id, target_name,
         details)
      SELECT (lpad(to_hex(now_ms), 12, '0') || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
             $1, now_ms, $2, $3, $4, $5, $6, $7, $8, $9
      FROM (SELECT ${DATABASE_TIME_MS} AS now_ms) clock`,
    values: [
      entry.accountId,
      actor.id,
      actor.name,
      actor.role,
      actor.via,
      entry.action,
      entry.targetId,
      entry.targetName,
      entry.details,
    ],
  });
}

export interface AuditQuery {
  /** Undefined: of all accounts, and entries without one. */
  accountId: string | undefined;
  /** Start inclusive, end exclusive, Unix milliseconds. */
  range: { startMs: number; endMs: number };
  limit: number;
  /** Only entries before this one. */
  beforeId: string | undefined;
  actorId: string | undefined;
  targetId: string | undefined;
  /** A whole action, or its part before the point. */
  action: string | undefined;
}

interface AuditRow {
  entry_id: string;
  account_id: string | null;
  created_at_ms: bigint;
  actor_id: string;
  actor_name: string;
  actor_role: string;
  actor_via: string;
  action: string;
  target_id: string;
  target_name: string;
  details: Record<string, string>;
}

/** Entries, newest first. Their ids carry their times, so that a range of times is one of ids. */
export async function listAudit(schema: AuditedSchema, db: Queryable, query: AuditQuery): Promise<AuditEntry[]> {
  const values: unknown[] = [query.limit];
  const conditions: string[] = [];
  const where = (condition: (place: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  where((place) => `entry_id >= ${place}`, idFloor(query.range.startMs));
  where((place) => `entry_id < ${place}`, idFloor(query.range.endMs));
  if (query.beforeId !== undefined) where((place) => `entry_id < ${place}`, query.beforeId);
  if (query.accountId !== undefined) where((place) => `account_id = ${place}`, query.accountId);
  if (query.actorId !== undefined) where((place) => `actor_id = ${place}`, query.actorId);
  if (query.targetId !== undefined) where((place) => `target_id = ${place}`, query.targetId);
  if (query.action !== undefined) {
    const [subject = ''] = query.action.split('.');
    where((place) => `split_part(action, '.', 1) = ${place}`, subject);
    if (query.action !== subject) where((place) => `action = ${place}`, query.action);
  }
  // Not a named statement: each filter has its own index.
  const { rows } = await db.query<AuditRow>(
    `SELECT entry_id::text, account_id::text, created_at_ms, actor_id, actor_name, actor_role, actor_via, action,
            target_id, target_name, details
     FROM ${schema}.audit a WHERE ${conditions.join(' AND ')} ORDER BY a.entry_id DESC LIMIT $1`,
    values,
  );
  return rows.map((row) => ({
    entryId: row.entry_id,
    createdAtMs: row.created_at_ms,
    accountId: row.account_id ?? '',
    actor: { actorId: row.actor_id, name: row.actor_name, role: row.actor_role, via: row.actor_via },
    action: row.action,
    targetId: row.target_id,
    targetName: row.target_name,
    details: row.details,
  }));
}
