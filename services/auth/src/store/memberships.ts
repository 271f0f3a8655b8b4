import { type MemberRole, roleOf } from '@tollgate/common/actors/roles';
import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import type { Member, Membership } from '@tollgate/proto/auth';
import { PERSON_COLUMNS, type PersonRow, toPerson } from './people.ts';

/** A row of auth.memberships, with its person. */
export interface MemberRow extends PersonRow {
  role: MemberRole;
  joined_at: Date;
  /** Null: all. */
  project_ids: string[] | null;
}

/** The wire form of a member. */
export function toMember(row: MemberRow): Member {
  return {
    person: toPerson(row),
    role: roleOf(row.role),
    joinedAtMs: BigInt(row.joined_at.getTime()),
    projectIds: row.project_ids ?? [],
  };
}

const MEMBER_COLUMNS = `${PERSON_COLUMNS}, m.role, m.joined_at, m.project_ids::text[]`;

/** What a person may do in an account. */
export interface MemberRights {
  role: MemberRole;
  /** The only projects in which they may; undefined: all. */
  projectIds: string[] | undefined;
}

/** What a person may do in an account; undefined: they are not a member. */
export async function findRights(
  db: Queryable,
  accountId: string,
  personId: string,
): Promise<MemberRights | undefined> {
  const { rows } = await db.query<{ role: MemberRole; project_ids: string[] | null }>(
    'SELECT role, project_ids::text[] FROM auth.memberships WHERE account_id = $1 AND person_id = $2',
    [accountId, personId],
  );
  const [row] = rows;
  return row && { role: row.role, projectIds: row.project_ids ?? undefined };
}

export async function findMember(db: Queryable, accountId: string, personId: string): Promise<MemberRow | undefined> {
  const { rows } = await db.query<MemberRow>(
    `SELECT ${MEMBER_COLUMNS} FROM auth.memberships m JOIN auth.people p USING (person_id)
     WHERE m.account_id = $1 AND m.person_id = $2`,
    [accountId, personId],
  );
  return rows[0];
}

/** Members of an account, in order of their addresses. */
export async function listMembers(db: Queryable, accountId: string, limit: number): Promise<MemberRow[]> {
  const { rows } = await db.query<MemberRow>(
    `SELECT ${MEMBER_COLUMNS} FROM auth.memberships m JOIN auth.people p USING (person_id)
     WHERE m.account_id = $1 ORDER BY p.email LIMIT $2`,
    [accountId, limit],
  );
  return rows;
}

/** Who gets an e-mail: the ones whom an account's money concerns, who may raise limits, or one member. */
export type AlertAudience = { of: 'money' | 'limits' } | { of: 'person'; personId: string };

/** Who of an account gets an e-mail, owners first. */
export async function listAlertRecipients(
  db: Queryable,
  accountId: string,
  audience: AlertAudience,
  limit: number,
): Promise<{ person_id: string; email: string; account_name: string }[]> {
  const { rows } = await db.query<{ person_id: string; email: string; account_name: string }>(
    `SELECT p.person_id, p.email, a.name AS account_name
     FROM auth.accounts a JOIN auth.memberships m USING (account_id) JOIN auth.people p USING (person_id)
     WHERE a.account_id = $1 AND CASE $3
       WHEN 'money' THEN a.alert_mails AND m.role IN ('owner', 'billing')
       WHEN 'limits' THEN m.role IN ('owner', 'admin')
       ELSE p.person_id = $4::uuid END
     ORDER BY m.role = 'owner' DESC, p.email LIMIT $2`,
    [accountId, limit, audience.of, audience.of === 'person' ? audience.personId : null],
  );
  return rows;
}

/** The accounts of a person, by name. */
export async function listMemberships(db: Queryable, personId: string, limit: number): Promise<Membership[]> {
  const { rows } = await db.query<{ account_id: string; name: string; role: MemberRole }>(
    `SELECT m.account_id, a.name, m.role FROM auth.memberships m JOIN auth.accounts a USING (account_id)
     WHERE m.person_id = $1 ORDER BY a.name, m.account_id LIMIT $2`,
    [personId, limit],
  );
  return rows.map((row) => ({ accountId: row.account_id, accountName: row.name, role: roleOf(row.role) }));
}

/** How many members and owners a locked account has. */
export async function countMembers(db: Queryable, accountId: string): Promise<{ members: number; owners: number }> {
  const { rows } = await db.query<{ members: number; owners: number }>(
    `SELECT count(*)::int AS members, count(*) FILTER (WHERE role = 'owner')::int AS owners
     FROM auth.memberships WHERE account_id = $1`,
    [accountId],
  );
  return onlyRow(rows, 'a count returned no row');
}

/** Makes a person a member of a locked account. @returns false: they are one already, and keep their role */
export async function insertMembership(
  db: Queryable,
  { accountId, personId, role }: { accountId: string; personId: string; role: MemberRole },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'INSERT INTO auth.memberships (account_id, person_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [accountId, personId, role],
  );
  return rowCount === 1;
}

/** Changes what a member of a locked account may do. */
export async function writeRights(
  db: Queryable,
  { accountId, personId, role, projectIds }: MemberRights & { accountId: string; personId: string },
): Promise<void> {
  await db.query('UPDATE auth.memberships SET role = $3, project_ids = $4 WHERE account_id = $1 AND person_id = $2', [
    accountId,
    personId,
    role,
    projectIds,
  ]);
}

/** Removes a member of a locked account. */
export async function removeMembership(db: Queryable, accountId: string, personId: string): Promise<void> {
  await db.query('DELETE FROM auth.memberships WHERE account_id = $1 AND person_id = $2', [accountId, personId]);
}
