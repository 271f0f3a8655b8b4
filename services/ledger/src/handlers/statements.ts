import { RpcError } from '@tollgate/common/errors';
import { limitArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool, Queryable } from '@tollgate/common/postgres/pool';
import type {
  GetStatementRequest,
  ListStatementLinesRequest,
  ListStatementLinesResponse,
  ListStatementsRequest,
  ListStatementsResponse,
  Statement,
} from '@tollgate/proto/ledger';
import { listStatementLines } from '../store/statement-lines.ts';
import { findStatement, listStatements } from '../store/statements.ts';

const MAX_STATEMENTS = 200;
const MAX_LINES = 1_000;

/** A page of an account's statements, newest first. */
export function createListStatementsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListStatementsRequest, ListStatementsResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const limit = limitArgument(request.limit, MAX_STATEMENTS);
    const beforeMs = request.cursor === '' ? Number.MAX_SAFE_INTEGER : monthArgument('cursor', request.cursor);
    const found = await listStatements(pool, accountId, beforeMs, limit + 1);
    const data = found.slice(0, limit);
    return { data, nextCursor: found.length > limit ? (data.at(-1)?.month ?? '') : '' };
  };
}

/** An account's statement of a month. */
export function createGetStatementHandler({ pool }: { pool: Pool }): UnaryHandler<GetStatementRequest, Statement> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    return requireStatement(pool, accountId, monthArgument('month', request.month));
  };
}

/** A page of the lines of a statement, in order. */
export function createListStatementLinesHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListStatementLinesRequest, ListStatementLinesResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const monthMs = monthArgument('month', request.month);
    const limit = limitArgument(request.limit, MAX_LINES);
    const after = lineArgument(request.cursor);
    await requireStatement(pool, accountId, monthMs);
    const found = await listStatementLines(pool, accountId, monthMs, { after, limit: limit + 1 });
    const page = found.slice(0, limit);
    const nextCursor = found.length > limit ? String(page.at(-1)?.number ?? '') : '';
    return { data: page.map(({ line }) => line), nextCursor };
  };
}

async function requireStatement(db: Queryable, accountId: string, monthMs: number): Promise<Statement> {
  const statement = await findStatement(db, accountId, monthMs);
  if (statement === undefined) throw new RpcError('not_found', 'month: the account has no statement of it');
  return statement;
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** A month such as 2026-11, as the Unix milliseconds of its start. */
function monthArgument(name: string, value: string): number {
  if (!MONTH.test(value)) throw new RpcError('invalid_argument', `${name}: must be a month such as 2026-11`);
  return Date.parse(`${value}-01T00:00:00Z`);
}

/** A cursor of lines: the number of the last one; empty for the first page. */
function lineArgument(cursor: string): number {
  if (!/^\d{0,9}$/.test(cursor))
    throw new RpcError('invalid_argument', 'cursor: unknown; pass next_cursor of the previous page');
  return Number(cursor);
}
