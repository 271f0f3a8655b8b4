import { fileURLToPath } from 'node:url';
import { Pipeline } from '@tollgate/common/postgres/pipeline';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { silent } from '@tollgate/ledger/testing/ledger-fixture';
import { type Explained, parseNotice } from './plan.ts';

export const LEDGER_SOURCE = fileURLToPath(new URL('../../../services/ledger/src/', import.meta.url));

/** Settings of a connection that reports plans. */
const REPORTING = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
};

/** A statement that ran: its plan and the source file that contains it. */
export interface Statement extends Explained {
  file: string;
}

export interface ExplainedPool {
  pool: Pool;
  /** What ran, in order. */
  statements: Statement[];
  /** Files of the ledger that ran a statement, with or without a plan. */
  files: Set<string>;
  /** Names of the statements that ran. */
  names: Set<string>;
}

/**
 * A pool in which Postgres reports the plan of every statement that ran, also within functions.
 *
 * With `force_generic_plan` it leaves out statements without a name, which have no generic plan outside of this test: Postgres
 * considers one after five executions of a prepared statement, and pg prepares a statement without a name again for each.
 *
 * @param planCacheMode how named statements are planned: for the values given, or once for all
 */
export function explainedPool(url: string, planCacheMode: 'force_custom_plan' | 'force_generic_plan'): ExplainedPool {
  const explaining = new URL(url);
  const settings = Object.entries({ ...REPORTING, plan_cache_mode: planCacheMode });
  explaining.searchParams.set('options', settings.map(([name, value]) => `-c ${name}=${value}`).join(' '));
  const options = { url: explaining.href, size: 4, applicationName: 'tollgate-plans', statementTimeoutMs: 60_000 };
  const pool = createPool(options, silent);
  const statements: Statement[] = [];
  const files = new Set<string>();
  const names = new Set<string>();
  /** The source file of each text; a text is in one place only. */
  const fileOf = new Map<string, string>();
  /** Texts of statements without a name. */
  const unnamed = new Set<string>();
  pool.on('connect', (client) => {
    client.on('notice', (notice) => {
      const explained = parseNotice(notice.message ?? '');
      if (explained === undefined) return;
      if (planCacheMode === 'force_generic_plan' && unnamed.has(explained.text.trim())) return;
      statements.push({ ...explained, file: fileOf.get(explained.text.trim()) ?? '' });
    });
    const run = client.query.bind(client);
    const watched = (...parameters: Parameters<typeof run>) => {
      note(parameters[0]);
      return run(...parameters);
    };
    Object.assign(client, { query: watched });
  });
  const poolQuery = pool.query.bind(pool);
  Object.assign(pool, {
    query: (...parameters: Parameters<typeof poolQuery>) => {
      note(parameters[0]);
      return poolQuery(...parameters);
    },
  });
  return { pool, statements, files, names };

  function note(query: unknown): void {
    if (query instanceof Pipeline) {
      for (const statement of query.statements) note(statement);
      return;
    }
    const file = callerInLedger();
    if (file !== undefined) files.add(file);
    const text = typeof query === 'string' ? query : textOf(query);
    if (text !== undefined && file !== undefined) fileOf.set(text.trim(), file);
    if (typeof query === 'object' && query !== null && 'name' in query && typeof query.name === 'string') {
      names.add(query.name);
    } else if (text !== undefined) {
      unnamed.add(text.trim());
    }
  }
}

function textOf(query: unknown): string | undefined {
  if (typeof query !== 'object' || query === null || !('text' in query)) return undefined;
  return typeof query.text === 'string' ? query.text : undefined;
}

/** The file of the ledger that called a query: the innermost one on the stack. */
function callerInLedger(): string | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const stack = new Error('where').stack ?? '';
  Error.stackTraceLimit = limit;
  const at = stack.indexOf(LEDGER_SOURCE);
  if (at < 0) return undefined;
  return /^[\w/.-]+\.ts/.exec(stack.slice(at + LEDGER_SOURCE.length))?.[0];
}
