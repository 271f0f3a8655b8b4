import { BEFORE_ALL } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { DATABASE_TIME_MS } from '@tollgate/common/postgres/database-time';
import { onlyRow, type Pool } from '@tollgate/common/postgres/pool';
import { meterOf } from '@tollgate/common/telemetry';
import { ISSUE_AFTER_MS, issueStatements, lastMonthDue } from '../statements/issue-statements.ts';
import { listAccounts } from '../store/balances.ts';
import type { LateIndexes } from '../store/late-indexes.ts';
import { isOutage } from '../store/retry.ts';
import { accountsWithoutStatement } from '../store/statements.ts';
import { HOUR_MS, monthStart } from '../store/time.ts';

/** Accounts read at once. */
const PAGE_SIZE = 1_000;

/** How soon accounts are looked at again whose statement could not be issued. */
const RETRY_MS = HOUR_MS;

export interface IssuerDependencies {
  pool: Pool;
  lateIndexes: LateIndexes;
  logger: Logger;
}

/**
 * Creates the job that issues the statements of all accounts, by one replica at a time. Once all of a month are issued it does
 * nothing until those of the next one are due.
 */
export function createStatementIssuer({ pool, lateIndexes, logger }: IssuerDependencies) {
  const outcomes = meterOf('tollgate-ledger').createCounter('tollgate_ledger_statements', {
    description: 'Monthly statements issued, and not issued because they do not agree with the ledger',
  });
  // A series that starts with its first event shows no increase, and alerts would miss it.
  for (const outcome of ['issued', 'unequal', 'failed']) outcomes.add(0, { outcome });
  let idleUntilMs = 0;

  /** @returns whether the account has all statements that are due */
  const issueOf = async (accountId: string, nowMs: number): Promise<boolean> => {
    let complete = true;
    try {
      await issueStatements({ pool, logger }, accountId, nowMs, (outcome) => {
        outcomes.add(1, { outcome });
        if (outcome !== 'issued') complete = false;
      });
    } catch (error) {
      if (isOutage(error)) throw error;
      // An account that fails holds up no other one.
      logger.error({ err: error, account_id: accountId }, 'a statement could not be issued');
      outcomes.add(1, { outcome: 'failed' });
      complete = false;
    }
    return complete;
  };

  const issueAll = async (nowMs: number, signal: AbortSignal): Promise<boolean> => {
    const startMs = lastMonthDue(nowMs);
    const month = { startMs, endMs: monthStart(startMs, 1) };
    let complete = true;
    let page: string[];
    let after = BEFORE_ALL;
    do {
      page = await listAccounts(pool, after, PAGE_SIZE);
      for (const accountId of await accountsWithoutStatement(pool, page, month)) {
        if (signal.aborted) return false;
        if (!(await issueOf(accountId, nowMs))) complete = false;
      }
      after = page.at(-1) ?? after;
    } while (page.length === PAGE_SIZE && !signal.aborted);
    return complete;
  };

  return async (signal: AbortSignal, nowMs?: number): Promise<void> => {
    const atMs = nowMs ?? (await readDatabaseTime(pool));
    if (atMs < idleUntilMs || !(await lateIndexes.exist())) return;
    await inTurn(pool, async () => {
      const complete = await issueAll(atMs, signal);
      if (!signal.aborted) idleUntilMs = complete ? nextDue(atMs) : atMs + RETRY_MS;
    });
  };
}

/** When the statements of the next month are due. */
function nextDue(nowMs: number): number {
  return monthStart(nowMs - ISSUE_AFTER_MS, 1) + ISSUE_AFTER_MS;
}

async function readDatabaseTime(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ now_ms: bigint }>(`SELECT ${DATABASE_TIME_MS} AS now_ms`);
  return Number(onlyRow(rows, 'the clock gave no row').now_ms);
}

/** Runs work unless another process does, so that no two issue the same statement. */
async function inTurn(pool: Pool, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      "SELECT pg_try_advisory_lock(hashtextextended('tollgate-ledger-statements', 0)) AS locked",
    );
    if (rows[0]?.locked === true) await work();
  } finally {
    // The lock ends with the connection.
    client.release(true);
  }
}
