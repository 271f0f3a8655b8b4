import type { Actor } from '@tollgate/common/actors/token';
import { timeOfId } from '@tollgate/common/ids';
import type { Queryable } from '@tollgate/common/postgres/pool';
import type { AuditEntry } from '@tollgate/proto/audit';

/** Who made a change; role is empty for people who change only themselves, and for an API key, which acts via itself. */
export type AuditActor = Pick<Actor, 'id' | 'name'> & { role: Actor['role'] | ''; via: Actor['via'] | 'key' };

/** A change, as the audit log shows it. */
export interface Change {
  /** Undefined for changes that concern no account. */
  accountId: string | undefined;
  actor: AuditActor;
  /** `<object>.<verb>`, see docs/reference/roles.md. */
  action: string;
  targetId: string;
  targetName: string;
  /** Never a secret. */
  details: Readonly<Record<string, string>>;
}

/** Records a change, in its transaction. */
export async function insertAudit(db: Queryable, change: Change): Promise<void> {
  const { accountId, actor, action, targetId, targetName, details } = change;
  await db.query({
    name: 'insert-audit',
    text: `INSERT INTO auth.audit
             (account_id, actor_id, actor_name, actor_role, actor_via, action, target_id, target_name, details)
           VALUES ($1, nullif($2, '')::uuid, $3, $4, $5, $6, $7, $8, $9)`,
    values: [accountId, actor.id, actor.name, actor.role, actor.via, action, targetId, targetName, details],
  });
}

/** Records several changes whose actors have ids, in their transaction. */
export async function insertAudits(db: Queryable, changes: readonly Change[]): Promise<void> {
  const rows = changes.map(({ accountId, actor, action, targetId, targetName, details }) => ({
    ...{
      account_id: accountId,
      actor_id: actor.id,
      actor_name: actor.name,
      actor_role: actor.role,
      actor_via: actor.via,
    },
    ...{ action, target_id: targetId, target_name: targetName, details },
  }));
  const columns = 'account_id, actor_id, actor_name, actor_role, actor_via, action, target_id, target_name, details';
  await db.query({
    name: 'insert-audits',
    text: `INSERT INTO auth.audit (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::auth.audit, $1)`,
    values: [JSON.stringify(rows)],
  });
}

interface AuditRow {
  entry_id: string;
  account_id: string | null;
  actor_id: string | null;
  actor_name: string;
  actor_role: string;
  actor_via: string;
  action: string;
  target_id: string;
  target_name: string;
  details: Record<string, string>;
}

export interface AuditFilter {
  accountId: string | undefined;
  /** Ids between these, the second excluded: see idOfTime. */
  fromId: string;
  beforeId: string;
  actorId: string | undefined;
  /** Empty: any. */
  targetId: string;
  /** A whole action, or its part before the point; empty: any. */
  action: string;
  limit: number;
}

/** Entries, newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter): Promise<AuditEntry[]> {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  add((value) => `entry_id >= ${value}`, filter.fromId);
  add((value) => `entry_id < ${value}`, filter.beforeId);
  // Only the given filters are in the statement, so that each uses its index.
  if (filter.accountId !== undefined) add((value) => `account_id = ${value}`, filter.accountId);
  if (filter.actorId !== undefined) add((value) => `actor_id = ${value}`, filter.actorId);
  if (filter.targetId !== '') add((value) => `target_id = ${value}`, filter.targetId);
  if (filter.action.includes('.')) add((value) => `action = ${value}`, filter.action);
  else if (filter.action !== '') add((value) => `split_part(action, '.', 1) = ${value}`, filter.action);
  values.push(filter.limit);
  const { rows } = await db.query<AuditRow>(
    `SELECT entry_id, account_id, actor_id, actor_name, actor_role, actor_via, action, target_id, target_name, details
     FROM auth.audit WHERE ${conditions.join(' AND ')} ORDER BY entry_id DESC LIMIT $${values.length}`,
    values,
  );
  return rows.map(toAuditEntry);
}

function toAuditEntry(row: AuditRow): AuditEntry {
  return {
    entryId: row.entry_id,
    createdAtMs: BigInt(timeOfId(row.entry_id)),
    accountId: row.account_id ?? '',
    actor: { actorId: row.actor_id ?? '', name: row.actor_name, role: row.actor_role, via: row.actor_via },
    action: row.action,
    targetId: row.target_id,
    targetName: row.target_name,
    details: row.details,
  };
}
