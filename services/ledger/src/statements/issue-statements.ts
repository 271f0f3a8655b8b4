import type { Logger } from '@tollgate/common/logging';
import { inOwnTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { insertStatementLines } from '../store/statement-lines.ts';
import { insertStatement, readStatementState, type StatementState, sumChangesSince } from '../store/statements.ts';
import { DAY_MS, MAX_LATENESS_MS, monthName, monthStart } from '../store/time.ts';

/**
 * How long after its end a month's statement is issued. Nothing recorded in the month is then still to be committed, and requests
 * of its last day have ended and are charged, unless an ingress is out of reach.
 */
export const ISSUE_AFTER_MS = DAY_MS;

/** Timeout of a statement: the longest reads all days of an account. */
const STATEMENT_TIMEOUT = '10min';

/** The start of the last month whose statements are due. */
export function lastMonthDue(nowMs: number): number {
  return monthStart(nowMs - ISSUE_AFTER_MS, -1);
}

/** `unequal`: what the statement would say is not what the ledger has, so it was not issued. */
export type IssueOutcome = 'issued' | 'unequal';

/**
 * Issues the statements of an account that are due, month by month.
 *
 * @param nowMs the database's clock
 * @param report called with the outcome of each; after an unequal one no more follow
 */
export async function issueStatements(
  { pool, logger }: { pool: Pool; logger: Logger },
  accountId: string,
  nowMs: number,
  report: (outcome: IssueOutcome) => void = () => undefined,
): Promise<void> {
  for (;;) {
    const outcome = await issueNext(pool, accountId, nowMs);
    if (outcome === 'none') return;
    if (outcome === 'issued') {
      report('issued');
      continue;
    }
    logger.error(
      {
        account_id: accountId,
        month: outcome.month,
        expected_nanos: `${outcome.expected}`,
        found_nanos: `${outcome.found}`,
      },
      'a statement does not agree with the balance and is not issued',
    );
    report('unequal');
    return;
  }
}

/** What a statement leads to is not the balance. */
interface Difference {
  month: string;
  /** The balance by the statements and what came after them. */
  expected: bigint;
  found: bigint;
}

/** Issues the next statement of an account in one snapshot, in which it must lead to the balance to the nano-dollar. */
function issueNext(pool: Pool, accountId: string, nowMs: number): Promise<'issued' | 'none' | Difference> {
  return inOwnTransaction(pool, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query(`SELECT set_config('statement_timeout', '${STATEMENT_TIMEOUT}', true)`);
    const state = await readStatementState(client, accountId);
    const monthMs = state === undefined ? undefined : nextMonth(state);
    const isDue = monthMs !== undefined && monthMs <= lastMonthDue(nowMs);
    const outcome = state !== undefined && isDue ? await issue(client, accountId, state, monthMs) : 'none';
    await client.query(outcome === 'issued' ? 'COMMIT' : 'ROLLBACK');
    return outcome;
  });
}

function nextMonth({ last, firstDepositMs }: StatementState): number | undefined {
  if (last !== undefined) return monthStart(last.monthMs, 1);
  return firstDepositMs === undefined ? undefined : monthStart(firstDepositMs);
}

async function issue(
  client: PoolClient,
  accountId: string,
  { balance, last }: StatementState,
  monthMs: number,
): Promise<'issued' | Difference> {
  const endMs = monthStart(monthMs, 1);
  const sums = await insertStatementLines(client, accountId, {
    startMs: monthMs,
    endMs,
    lateSinceMs: monthMs - MAX_LATENESS_MS,
  });
  const opening = last?.closing ?? 0n;
  const closing = Object.values<bigint>({ ...sums }).reduce((sum, amount) => sum + amount, opening);
  const expected = closing + (await sumChangesSince(client, accountId, endMs));
  if (expected !== balance) return { month: monthName(monthMs), expected, found: balance };
  await insertStatement(client, { ...sums, accountId, monthMs, opening, closing });
  return 'issued';
}
