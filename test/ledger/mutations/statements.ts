import type { TestedMutation } from './mutation.ts';

const FOLDER = 'services/ledger';
const ISSUE = 'statements/issue-statements.db.test.ts';
const JOB = 'jobs/issue-statements.db.test.ts';

function mutation(name: string, test: string, at: string, find: string, replace: string): TestedMutation {
  return { name, test: `${FOLDER}/src/${test}`, edits: [{ folder: FOLDER, at, find, replace }] };
}

/** Faults of statements. */
export const STATEMENT_MUTATIONS: readonly TestedMutation[] = [
  mutation(
    'late charges are in no statement',
    ISSUE,
    'issue',
    'lateSinceMs: monthMs - MAX_LATENESS_MS',
    'lateSinceMs: monthMs',
  ),
  mutation(
    'charges of earlier statements are stated again',
    ISSUE,
    'insertStatementLines',
    'l.month_ms < $2',
    'l.month_ms < $5',
  ),
  mutation(
    'a deposit of the first moment of a month is in the one before too',
    ISSUE,
    'insertStatementLines',
    'd.created_at_ms < $3',
    'd.created_at_ms <= $3',
  ),
  mutation('charges raise the balance', ISSUE, 'insertStatementLines', '-c.nanos::bigint', 'c.nanos::bigint'),
  mutation(
    'credit that ended is left out',
    ISSUE,
    'insertStatementLines',
    "AND t.reason = 'expiry'",
    "AND t.reason = 'refund'",
  ),
  mutation('a statement begins at zero', ISSUE, 'issue', 'last?.closing ?? 0n', '0n'),
  mutation(
    'what the account owes is no part of its balance',
    ISSUE,
    'readStatementState',
    'b.available + b.leased + b.receivable',
    'b.available + b.leased',
  ),
  mutation(
    'a statement is issued that is not equal',
    ISSUE,
    'issue',
    'expected !== balance',
    'expected < 0n && balance === 0n',
  ),
  mutation('a statement is of several moments', ISSUE, 'issueNext', 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'BEGIN'),
  mutation(
    'a statement is issued before its month is settled',
    ISSUE,
    'lastMonthDue',
    'nowMs - ISSUE_AFTER_MS',
    'nowMs',
  ),
  mutation(
    'a statement that was not equal is not tried again',
    JOB,
    'createStatementIssuer',
    'atMs + RETRY_MS',
    'nextDue(atMs)',
  ),
];
