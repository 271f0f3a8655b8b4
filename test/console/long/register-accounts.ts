import { createPool } from '@tollgate/common/postgres/pool';
import { silent } from '@tollgate/ledger/testing/ledger-fixture';
import { accountId, accountIdSql, keyIdSql } from '@tollgate/ledger/testing/load-history';

/** Registers the accounts of a loaded history at auth: the first with many keys. */
export async function registerAccounts(url: string, size: { accounts: number; keys: number }): Promise<void> {
  const pool = createPool({ url, size: 1, applicationName: 'tollgate-load', statementTimeoutMs: 600_000 }, silent);
  try {
    await pool.query(
      `INSERT INTO auth.accounts (account_id, name, tag)
       SELECT ${accountIdSql('i')}, 'account ' || i, lpad(to_hex(i), 6, '0') FROM generate_series(0, $1::bigint - 1) i`,
      [size.accounts],
    );
    await pool.query(
      `INSERT INTO auth.keys (key_id, account_id, name, key_sha256, display_prefix, last_four, total_cap_nanos, last_used_at)
       SELECT ${keyIdSql('i')}, $1, 'key ' || i, sha256(i::text::bytea), 'sk-tollgate-…', lpad(to_hex(i % 65536), 4, '0'),
              CASE WHEN i = 0 THEN 1000000000000 END, now()
       FROM generate_series(0, $2::bigint - 1) i`,
      [accountId(0), size.keys],
    );
    await pool.query('ANALYZE auth.accounts, auth.keys');
  } finally {
    await pool.end();
  }
}
