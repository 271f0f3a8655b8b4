import { type RoleName, roleOf } from '@tollgate/common/actors/roles';
import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import type { Invitation } from '@tollgate/proto/auth';
import { ofAccount } from './columns.ts';

/** Columns of an invitation, in the shape of `InvitationRow`, of auth.invitations as `i`. */
const COLUMNS = `i.invitation_id, i.account_id,
  (SELECT a.name FROM auth.accounts a WHERE a.account_id = i.account_id) AS account_name,
  i.email, i.role, i.invited_by, i.created_at, i.expires_at, i.mailed`;

/** Expired invitations remain for some time, and count as none. */
const OPEN = 'i.expires_at > clock_timestamp()';

/** A row of auth.invitations. */
export interface InvitationRow {
  invitation_id: string;
  /** Null: to be an operator. */
  account_id: string | null;
  account_name: string | null;
  email: string;
  role: RoleName;
  invited_by: string;
  created_at: Date;
  expires_at: Date;
  mailed: boolean;
}

/** The wire form of an invitation. */
export function toInvitation(row: InvitationRow): Invitation {
  return {
    invitationId: row.invitation_id,
    accountId: row.account_id ?? '',
    accountName: row.account_name ?? '',
    email: row.email,
    role: roleOf(row.role),
    createdAtMs: BigInt(row.created_at.getTime()),
    expiresAtMs: BigInt(row.expires_at.getTime()),
    invitedBy: row.invited_by,
  };
}

/** Open invitations of an account, or of operators; newest first. */
export async function listInvitations(
  db: Queryable,
  accountId: string | undefined,
  limit: number,
): Promise<InvitationRow[]> {
  const { rows } = await db.query<InvitationRow>(
    `SELECT ${COLUMNS} FROM auth.invitations i
     WHERE ${ofAccount('i.account_id', accountId)} AND ${OPEN} ORDER BY i.created_at DESC LIMIT $2`,
    [accountId, limit],
  );
  return rows;
}

export async function countInvitations(db: Queryable, accountId: string | undefined): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM auth.invitations i
     WHERE ${ofAccount('i.account_id', accountId)} AND ${OPEN}`,
    [accountId],
  );
  return onlyRow(rows, 'a count returned no row').count;
}

/** An open invitation by the SHA-256 of its secret. */
export async function findInvitation(db: Queryable, secretSha256: Buffer): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `SELECT ${COLUMNS} FROM auth.invitations i WHERE i.secret_sha256 = $1 AND ${OPEN}`,
    [secretSha256],
  );
  return rows[0];
}

/** Open invitations of an address. */
export async function listInvitationsOfEmail(db: Queryable, email: string, limit: number): Promise<InvitationRow[]> {
  const { rows } = await db.query<InvitationRow>(
    `SELECT ${COLUMNS} FROM auth.invitations i WHERE i.email = $1 AND ${OPEN} ORDER BY i.account_id NULLS LAST LIMIT $2`,
    [email, limit],
  );
  return rows;
}

/** The open invitation of an address to an account, or to be an operator. */
export async function findInvitationOfEmail(
  db: Queryable,
  accountId: string | undefined,
  email: string,
): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `SELECT ${COLUMNS} FROM auth.invitations i
     WHERE ${ofAccount('i.account_id', accountId)} AND i.email = $2 AND ${OPEN}`,
    [accountId, email],
  );
  return rows[0];
}

/** The open invitation with an id, of an account or of operators. */
export async function findInvitationById(
  db: Queryable,
  accountId: string | undefined,
  invitationId: string,
): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `SELECT ${COLUMNS} FROM auth.invitations i
     WHERE ${ofAccount('i.account_id', accountId)} AND i.invitation_id = $2 AND ${OPEN}`,
    [accountId, invitationId],
  );
  return rows[0];
}

export interface InvitationToInsert {
  invitationId: string;
  accountId: string | undefined;
  email: string;
  role: RoleName;
  secretSha256: Buffer;
  invitedBy: string;
  expiresAt: Date;
  mailed: boolean;
}

/** Inserts an invitation in place of an earlier one of the same address. @returns undefined: the secret is in use */
export async function replaceInvitation(
  db: Queryable,
  invitation: InvitationToInsert,
): Promise<InvitationRow | undefined> {
  const { invitationId, accountId, email, role, secretSha256, invitedBy, expiresAt, mailed } = invitation;
  await db.query(`DELETE FROM auth.invitations WHERE ${ofAccount('account_id', accountId)} AND email = $2`, [
    accountId,
    email,
  ]);
  const { rows } = await db.query<InvitationRow>(
    `INSERT INTO auth.invitations AS i (invitation_id, account_id, email, role, secret_sha256, invited_by, expires_at,
       mailed)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT DO NOTHING
     RETURNING ${COLUMNS}`,
    [invitationId, accountId, email, role, secretSha256, invitedBy, expiresAt, mailed],
  );
  return rows[0];
}

/** Removes an open invitation. @returns false: it was not open any more */
export async function removeInvitation(db: Queryable, invitationId: string): Promise<boolean> {
  const { rowCount } = await db.query(`DELETE FROM auth.invitations i WHERE i.invitation_id = $1 AND ${OPEN}`, [
    invitationId,
  ]);
  return rowCount === 1;
}

/** Removes expired invitations that nobody is removing at the same time. */
export async function removeExpiredInvitations(db: Queryable, limit: number): Promise<void> {
  await db.query(
    `DELETE FROM auth.invitations WHERE invitation_id IN (
       SELECT i.invitation_id FROM auth.invitations i WHERE NOT ${OPEN} ORDER BY i.expires_at LIMIT $1
       FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
}
