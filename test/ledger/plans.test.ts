import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ensurePartitions } from '@tollgate/ledger/store/partitions';
import { DAY_MS } from '@tollgate/ledger/store/time';
import { createLedger, type LedgerFixture, MAX_AGE_MS, silent } from '@tollgate/ledger/testing/ledger-fixture';
import { HISTORY_DAYS, type History, loadHistory } from '@tollgate/ledger/testing/load-history';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exerciseLedger, exerciseReconciliation } from './plans/exercise.ts';
import { type ExplainedPool, explainedPool, LEDGER_SOURCE, type Statement } from './plans/explained-pool.ts';
import { nodesOf, type PlanNode, rowsRead } from './plans/plan.ts';

const SIZE = { charges: 1_000_000, accounts: 100_000, keys: 1, models: 2, others: 100_000 };
/** A table of more rows is never scanned sequentially. */
const LARGE_ROWS = 5_000;
/** Files whose statements read no table: notifications between replicas. */
const WITHOUT_TABLES = ['recall/bus.ts'];
/** Maximum rows of one table that a statement of a request reads. */
const MAX_ROWS = 10_000;
/**
 * Tables that a file of statements reads entirely: the status of the ledger, which only operators read, sums all balances and
 * counts all quarantined charges, one narrow row per account and per charge that needs an operator.
 */
const READ_ENTIRELY: Readonly<Record<string, readonly string[]>> = { 'store/totals.ts': ['balances', 'quarantine'] };

/**
 * Tables of customers that a file of statements reads or changes for all accounts at once, without naming the account. None runs for
 * a request or for a customer.
 */
const ACROSS_ACCOUNTS: Readonly<Record<string, readonly string[]>> = {
  // For operators: how many findings there are, which are none as a rule.
  'store/reconciliation.ts': ['findings'],
  // Once for each ingress that ends: what it held of all accounts. Its leases stay while a finding, of any account, names it.
  'store/sessions.ts': ['findings', 'held'],
  // For operators: sums over all accounts.
  'store/totals.ts': ['balances', 'quarantine'],
  // Once a month: whether all ingresses that charged anybody in it are gone.
  'tasks/archive-month.ts': ['charges'],
};

/** Tables with an account that are not an account's: the audit log has entries of none, and a voucher has no account until it is redeemed. */
const OF_OPERATORS = ['audit', 'vouchers'];

let ledger: LedgerFixture;
let history: History;
let custom: ExplainedPool;
let generic: ExplainedPool;
let large: Set<string>;

beforeAll(async () => {
  ledger = await createLedger();
  const now = Date.now();
  await ensurePartitions(ledger.pool, now - (HISTORY_DAYS - 30) * DAY_MS, MAX_AGE_MS, silent);
  history = await timed('load', () => loadHistory(ledger.url, SIZE, now));
  custom = explainedPool(ledger.url, 'force_custom_plan');
  generic = explainedPool(ledger.url, 'force_generic_plan');
  large = await largeTables();
});
afterAll(async () => {
  await Promise.all([custom.pool.end(), generic.pool.end()]);
  await ledger.drop();
});

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  process.stdout.write(`plans: ${what} took ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  return result;
}

async function largeTables(): Promise<Set<string>> {
  const { rows } = await ledger.pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'ledger'::regnamespace AND c.relkind = 'r'
     AND c.reltuples > $1`,
    [LARGE_ROWS],
  );
  return new Set(rows.map((row) => row.name));
}

/** The unique keys of customers' tables: their columns in order. */
async function customersKeys(): Promise<{ table: string; columns: string[] }[]> {
  const { rows } = await ledger.pool.query<{ table: string; columns: string[] }>(
    `SELECT c.relname AS table,
       (SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum) AS columns
     FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisunique
     WHERE c.relnamespace = 'ledger'::regnamespace AND NOT c.relispartition AND c.relname <> ALL ($1)
       AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped)`,
    [OF_OPERATORS],
  );
  return rows;
}

/** Whether a node reads an index that begins with an account or a session: without a condition on it, it reads all of it. */
function byKey(node: PlanNode): boolean {
  // Entries of the audit log and vouchers have keys of their own.
  const index = node['Index Name'] ?? '';
  return !['audit_pkey', 'vouchers_pkey'].includes(index) && /_pkey$|account_id|session_id/.test(index);
}

/** The large table of an index, which is named after it. */
function tableOf(index: string): string | undefined {
  return [...large].find((table) => index.startsWith(`${table}_`));
}

/** Faults in how a statement reads large tables. */
function faultsOf(statement: Statement): string[] {
  const faults: string[] = [];
  for (const node of nodesOf(statement.plan)) {
    const table = node['Relation Name'] ?? tableOf(node['Index Name'] ?? '');
    if (table === undefined || !large.has(table) || node['Actual Loops'] === 0) continue;
    if (READ_ENTIRELY[statement.file]?.includes(table)) continue;
    const where = `${statement.file}: ${node['Node Type']} of ${table}`;
    if (node['Node Type'] === 'Seq Scan') faults.push(where);
    const keyed = /\b(account_id|session_id)\b/.test(node['Index Cond'] ?? '');
    if (node['Node Type'].includes('Index') && node['Index Cond'] !== undefined && !keyed && byKey(node)) {
      faults.push(`${where} goes through all of ${node['Index Name']}`);
    }
    if (!statement.file.startsWith('reconcile/') && rowsRead(node) > MAX_ROWS)
      faults.push(`${where} reads more than ${MAX_ROWS} rows`);
  }
  return faults;
}

describe('with 1,000,000 charges', () => {
  it('loads all tables that grow', async () => {
    const { rows } = await ledger.pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'ledger'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relname <> ALL ($1) ORDER BY 1`,
      [
        [
          'meta',
          'migrations',
          'sweeper',
          'reconciliation',
          'reconciliation_pass',
          'reconciled',
          'reconciled_leases',
          'reconciled_hours',
          'default_thresholds',
          'findings',
          'carried_forward',
          'carried_leases',
          'unknown_keys',
        ],
      ],
    );
    const grown = [...large].map((name) => name.replace(/_\d{4}_\d{2}$/, ''));
    expect(rows.map((row) => row.name).filter((name) => !grown.includes(name))).toEqual([]);
  });

  it('no statement scans a large table sequentially', async () => {
    for (const each of [custom, generic]) {
      await timed('exercise', () => exerciseLedger(each.pool, history));
      await timed('reconcile', () => exerciseReconciliation(each.pool, history));
    }
    const faults = new Set([...custom.statements, ...generic.statements].flatMap(faultsOf));
    expect([...faults]).toEqual([]);
  }, 300_000);

  // What Postgres extensions such as Citus need to spread accounts over machines.
  it('every unique key of a table of customers begins with the account', async () => {
    const keys = await customersKeys();
    expect(keys.length).toBeGreaterThan(15);
    expect(keys.filter(({ columns: [first] }) => first !== 'account_id' && first !== 'only_row')).toEqual([]);
  });

  // So that such an extension knows to which machine it goes.
  it('every statement on a table of customers names the account', async () => {
    const keys = await customersKeys();
    const customers = new Set(keys.flatMap(({ table, columns: [first] }) => (first === 'account_id' ? [table] : [])));
    const unnamed = new Set<string>();
    for (const { file, text, plan } of [...custom.statements, ...generic.statements]) {
      // Without a file: of the test itself.
      if (file === '' || /\baccount_id\b/.test(text)) continue;
      for (const { 'Relation Name': relation } of nodesOf(plan)) {
        const table = relation?.replace(/_\d{4}_\d{2}$/, '') ?? '';
        if (customers.has(table)) unnamed.add(`${file}: ${table}`);
      }
    }
    const known = Object.entries(ACROSS_ACCOUNTS).flatMap(([file, tables]) =>
      tables.map((table) => `${file}: ${table}`),
    );
    expect([...unnamed].sort()).toEqual(known.sort());
  });

  it('they include every statement of the ledger', () => {
    const sources = readdirSync(LEDGER_SOURCE, { recursive: true, encoding: 'utf8' })
      .filter(
        (file) =>
          file.endsWith('.ts') &&
          !file.endsWith('.test.ts') &&
          !file.startsWith('testing/') &&
          !WITHOUT_TABLES.includes(file),
      )
      .map((file) => ({ file, text: readFileSync(join(LEDGER_SOURCE, file), 'utf8') }))
      .filter(({ text }) => /\.query[<(]/.test(text));
    expect(sources.map(({ file }) => relative('.', file)).filter((file) => !custom.files.has(file))).toEqual([]);
    const names = sources.flatMap(({ text }) =>
      [...text.matchAll(/\bname: '([a-z0-9-]+)',\s+text:/g)].map((match) => match[1] ?? ''),
    );
    expect(names.length).toBeGreaterThan(60);
    expect(names.filter((name) => !custom.names.has(name))).toEqual([]);
  });
});
