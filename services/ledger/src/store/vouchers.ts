import { DATABASE_TIME_MS } from '@tollgate/common/postgres/database-time';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import type { Voucher } from '@tollgate/proto/ledger';
import type { Cursor } from './time.ts';

interface VoucherRow {
  voucher_id: string;
  last_four: string;
  amount_nanos: bigint;
  reason: string;
  created_by: string;
  created_at_ms: bigint;
  expires_at_ms: bigint | null;
  credit_days: number | null;
  revoked_at_ms: bigint | null;
  redeemed_at_ms: bigint | null;
  redeemed_for: string | null;
}

const COLUMNS = `voucher_id::text, last_four, amount_nanos, reason, created_by, created_at_ms, expires_at_ms, credit_days,
  revoked_at_ms, redeemed_at_ms, redeemed_for::text`;

function fromRow(row: VoucherRow): Voucher {
  return {
    voucherId: row.voucher_id,
    lastFour: row.last_four,
    amountNanos: row.amount_nanos,
    reason: row.reason,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms ?? 0n,
    creditDays: row.credit_days ?? 0,
    revokedAtMs: row.revoked_at_ms ?? 0n,
    redeemedAtMs: row.redeemed_at_ms ?? 0n,
    accountId: row.redeemed_for ?? '',
  };
}

export interface NewVoucherRow {
  voucherId: string;
  codeSha256: Buffer;
  lastFour: string;
}

export interface VoucherTerms {
  amountNanos: bigint;
  reason: string;
  createdBy: string;
  expiresAtMs: bigint | undefined;
  creditDays: number | undefined;
}

/** Inserts vouchers of the same terms. */
export async function insertVouchers(
  client: PoolClient,
  vouchers: readonly NewVoucherRow[],
  terms: VoucherTerms,
): Promise<Voucher[]> {
  const { rows } = await client.query<VoucherRow>({
    name: 'insert-vouchers',
    text: `
      INSERT INTO ledger.vouchers
        (voucher_id, code_sha256, last_four, amount_nanos, reason, created_by, created_at_ms, expires_at_ms, credit_days)
      SELECT v.voucher_id, v.code_sha256, v.last_four, $4, $5, $6, ${DATABASE_TIME_MS}, $7, $8
      FROM unnest($1::uuid[], $2::bytea[], $3::text[]) AS v (voucher_id, code_sha256, last_four)
      RETURNING ${COLUMNS}`,
    values: [
      vouchers.map(({ voucherId }) => voucherId),
      vouchers.map(({ codeSha256 }) => codeSha256),
      vouchers.map(({ lastFour }) => lastFour),
      terms.amountNanos,
      terms.reason,
      terms.createdBy,
      terms.expiresAtMs,
      terms.creditDays,
    ],
  });
  return rows.map(fromRow);
}

/** A page of vouchers, newest first: ids carry their times. */
export async function listVouchers(db: Queryable, before: Cursor | undefined, limit: number): Promise<Voucher[]> {
  const { rows } = await db.query<VoucherRow>({
    name: 'list-vouchers',
    text: `SELECT ${COLUMNS} FROM ledger.vouchers v WHERE voucher_id < $1 ORDER BY v.voucher_id DESC LIMIT $2`,
    values: [before?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff', limit],
  });
  return rows.map(fromRow);
}

/** The voucher of a code. */
export async function findVoucher(db: Queryable, codeSha256: Buffer): Promise<Voucher | undefined> {
  const { rows } = await db.query<VoucherRow>({
    name: 'find-voucher',
    text: `SELECT ${COLUMNS} FROM ledger.vouchers WHERE code_sha256 = $1`,
    values: [codeSha256],
  });
  return rows[0] && fromRow(rows[0]);
}

/** Revokes a voucher, unless it was redeemed. @returns it; undefined if there is none */
export async function revokeVoucher(client: PoolClient, voucherId: string): Promise<Voucher | undefined> {
  const { rows } = await client.query<VoucherRow>({
    name: 'revoke-voucher',
    text: `
      UPDATE ledger.vouchers
      SET revoked_at_ms = CASE WHEN redeemed_at_ms IS NULL THEN coalesce(revoked_at_ms, ${DATABASE_TIME_MS}) END
      WHERE voucher_id = $1 RETURNING ${COLUMNS}`,
    values: [voucherId],
  });
  return rows[0] && fromRow(rows[0]);
}

/** Redeems a voucher for an account; false if it can no longer be redeemed. The account's balance must be locked. */
export async function claimVoucher(
  client: PoolClient,
  { voucherId, accountId, nowMs }: { voucherId: string; accountId: string; nowMs: bigint },
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'claim-voucher',
    text: `
      UPDATE ledger.vouchers SET redeemed_at_ms = $3, redeemed_for = $2
      WHERE voucher_id = $1 AND redeemed_at_ms IS NULL AND revoked_at_ms IS NULL
        AND (expires_at_ms IS NULL OR expires_at_ms > $3)`,
    values: [voucherId, accountId, nowMs],
  });
  return rowCount === 1;
}
