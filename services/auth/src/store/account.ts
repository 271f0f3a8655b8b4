import { type Account, AccountStatus } from '@tollgate/proto/auth';
import { type LimitColumns, rateLimits } from './rate-limits.ts';

/** Columns of an account, in the shape of `AccountRow`. */
export const ACCOUNT_COLUMNS = `account_id, name, status, tag, created_at, discount_ppm, requests_per_minute, tokens_per_minute,
  open_requests, suspension_reason, revision`;

/** A row of auth.accounts. */
export interface AccountRow extends LimitColumns {
  account_id: string;
  name: string;
  status: 'active' | 'suspended';
  tag: string;
  created_at: Date;
  discount_ppm: number;
  suspension_reason: string | null;
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
    suspensionReason: row.suspension_reason ?? '',
  };
}
