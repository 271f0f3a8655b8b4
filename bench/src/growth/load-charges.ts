import { newAccountTag } from '@tollgate/common/keys/index';
import { createLogger } from '@tollgate/common/logging';
import { createPool } from '@tollgate/common/postgres/pool';
import { ensurePartitions } from '@tollgate/ledger/store/partitions';
import { DAY_MS } from '@tollgate/ledger/store/time';
import { HISTORY_DAYS, loadHistory } from '@tollgate/ledger/testing/load-history';
import { UNGUARDED } from '@tollgate/ledger/testing/unguarded';

/** Accounts with a balance; a tenth has charges; keys and models of the one with three in ten of all charges. */
const SIZE = { accounts: 1_000, keys: 50, models: 8, others: 1_000 };

const logger = createLogger('bench', 'fatal');

/**
 * Loads a history of 75 days into the ledger of a stack that has just started, in which a tenth of the accounts have charges
 * and one has three in ten of all, and registers that account with auth.
 *
 * @returns the id of the account
 */
export async function loadCharges(databaseUrl: string, charges: number): Promise<string> {
  const nowMs = Date.now();
  const pool = createPool({ url: databaseUrl, size: 1, applicationName: 'tollgate-bench' }, logger);
  try {
    await ensurePartitions(pool, nowMs, HISTORY_DAYS * DAY_MS, logger);
    // The stack has given its demo account credit, which the benchmark does not use.
    for (const table of ['transfers', 'deposits', 'balances'])
      await pool.query(`${UNGUARDED} DELETE FROM ledger.${table}`);
    const { largest } = await loadHistory(databaseUrl, { ...SIZE, charges }, nowMs);
    await pool.query('INSERT INTO auth.accounts (account_id, name, tag) VALUES ($1, $2, $3)', [
      largest,
      'Benchmark with a history',
      newAccountTag(),
    ]);
    return largest;
  } finally {
    await pool.end();
  }
}
