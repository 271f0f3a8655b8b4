import type { PriceRule } from '@tollgate/common/billing/price-rules';
import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import { type Account, AccountStatus } from '@tollgate/proto/auth';
import { type LimitColumns, NEXT_REVISION, rateLimits } from './columns.ts';

/** Columns of an account, in the shape of `AccountRow`. */
export const ACCOUNT_COLUMNS = `account_id, name, status, tag, created_at, discount_ppm, requests_per_minute, tokens_per_minute,
  open_requests, suspension_reason, alert_mails, price_rules, revision`;

/** A row of auth.accounts. */
export interface AccountRow extends LimitColumns {
  account_id: string;
  name: string;
  status: 'active' | 'suspended';
  tag: string;
  created_at: Date;
  discount_ppm: number;
  suspension_reason: string | null;
  alert_mails: boolean;
  price_rules: PriceRule[];
  revision: bigint;
}

/** The wire form of an account. */
export function toAccount(row: AccountRow): Account {
  return {
    accountId: row.account_id,
    name: row.name,
    status: row.status === 'active' ? AccountStatus.ACTIVE : AccountStatus.SUSPENDED,
    tag: row.tag,
    createdAtMs: BigInt(row.created_at.getTime()),
    discountPpm: row.discount_ppm,
    limits: rateLimits(row),
    suspensionReason: row.suspension_reason ?? undefined,
    alertMails: row.alert_mails,
    priceRules: { rules: row.price_rules },
  };
}

/**
 * Inserts an account.
 *
 * @param idempotencyKey empty for none
 * @returns undefined when the tag or the idempotency key is taken
 */
export async function insertAccount(
  db: Queryable,
  account: { accountId: string; name: string; tag: string; idempotencyKey: string },
): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `INSERT INTO auth.accounts (account_id, name, tag, idempotency_key)
     VALUES ($1, $2, $3, nullif($4, ''))
     ON CONFLICT DO NOTHING
     RETURNING ${ACCOUNT_COLUMNS}`,
    [account.accountId, account.name, account.tag, account.idempotencyKey],
  );
  return rows[0];
}

/** Finds an account by its id. */
export async function findAccount(db: Queryable, accountId: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(`SELECT ${ACCOUNT_COLUMNS} FROM auth.accounts WHERE account_id = $1`, [
    accountId,
  ]);
  return rows[0];
}

/** Finds the account that a call with this idempotency key has created. */
export async function findAccountByIdempotencyKey(db: Queryable, key: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM auth.accounts WHERE idempotency_key = $1`,
    [key],
  );
  return rows[0];
}

/** A page of a list of accounts. */
interface AccountPage {
  /** Undefined: from the first. */
  after: string | undefined;
  limit: number;
  /** Only accounts with this text in their name, in any case, or with this id. Undefined: all. */
  text: string | undefined;
  /** Only these. Undefined: all. */
  accountIds: readonly string[] | undefined;
}

/** Accounts in order of creation, as their ids are. */
export async function listAccounts(
  db: Queryable,
  { after, limit, text, accountIds }: AccountPage,
): Promise<AccountRow[]> {
  const { rows } = await db.query<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM auth.accounts
     WHERE account_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
       ${accountIds === undefined ? 'AND $4::uuid[] IS NULL' : 'AND account_id = ANY ($4)'}
       AND ($3::text IS NULL OR strpos(lower(name), lower($3)) > 0 OR account_id::text = lower($3))
     ORDER BY account_id LIMIT $2`,
    [after, limit, text, accountIds],
  );
  return rows;
}

/** Finds an account and locks it until the end of the transaction, so that its changes are serialized. */
export async function lockAccount(db: Queryable, accountId: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM auth.accounts WHERE account_id = $1 FOR NO KEY UPDATE`,
    [accountId],
  );
  return rows[0];
}

/** Writes the changeable columns of a locked account, under a new revision. */
export async function writeAccount(db: Queryable, account: AccountRow): Promise<AccountRow> {
  const { rows } = await db.query<AccountRow>(
    `UPDATE auth.accounts
     SET name = $2, discount_ppm = $3, requests_per_minute = $4, tokens_per_minute = $5, open_requests = $6,
         status = $7, suspension_reason = $8, price_rules = $9, revision = ${NEXT_REVISION}
     WHERE account_id = $1
     RETURNING ${ACCOUNT_COLUMNS}`,
    [
      account.account_id,
      account.name,
      account.discount_ppm,
      account.requests_per_minute,
      account.tokens_per_minute,
      account.open_requests,
      account.status,
      account.suspension_reason,
      JSON.stringify(account.price_rules),
    ],
  );
  return onlyRow(rows, 'a locked account is gone');
}

/** Turns e-mails about a locked account's money on or off. No ingress needs to know: the revision stays. */
export async function writeAlertMails(db: Queryable, accountId: string, enabled: boolean): Promise<void> {
  await db.query('UPDATE auth.accounts SET alert_mails = $2 WHERE account_id = $1', [accountId, enabled]);
}
