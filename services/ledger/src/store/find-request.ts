import { timeOfId } from '@tollgate/common/ids';
import type { Queryable } from '@tollgate/common/postgres/pool';
import type { RefusalName } from './refusals.ts';
import { MAX_CLOCK_SKEW_MS } from './time.ts';

/** Where a request is. */
export interface FoundRequest {
  accountId: string;
  requestId: string;
}

interface Row {
  account_id: string;
  request_id: string;
}

const toFound = (row: Row): FoundRequest => ({ accountId: row.account_id, requestId: row.request_id });

/** The refused request with an id, of any account. */
export async function findRefusalInAll(db: Queryable, name: RefusalName): Promise<FoundRequest | undefined> {
  const { rows } = await db.query<Row>(name.by === 'request_id' ? refusalByRequest(name.id) : refusalByTrace(name.id));
  return rows[0] && toFound(rows[0]);
}

/** The id of a request is no index of its own: the time in it narrows the search. */
function refusalByRequest(id: string) {
  const atMs = timeOfId(id);
  return {
    name: 'find-refusal-in-all-by-request',
    text: `
      SELECT account_id::text, request_id::text FROM ledger.refusals
      WHERE refused_at_ms BETWEEN $2 AND $3 AND request_id = $1 LIMIT 1`,
    values: [id, atMs - MAX_CLOCK_SKEW_MS, atMs + MAX_CLOCK_SKEW_MS],
  };
}

function refusalByTrace(id: string) {
  return {
    name: 'find-refusal-in-all-by-trace',
    text: `
      SELECT account_id::text, request_id::text FROM ledger.refusals
      WHERE trace_id = $1 ORDER BY request_id DESC LIMIT 1`,
    values: [id],
  };
}

/** A batch of accounts, in order of their ids. */
interface Batch {
  /** Undefined: from the first. */
  after: string | undefined;
  limit: number;
}

/**
 * The charge with an id in a batch of accounts. Each is looked up by its key, so that the charges are not read.
 *
 * @returns `last`: the last account of the batch; undefined if none follow
 */
export async function findChargeInAccounts(
  db: Queryable,
  name: RefusalName,
  { after, limit }: Batch,
): Promise<{ found: FoundRequest | undefined; last: string | undefined }> {
  const { rows } = await db.query<{ account_id: string | null; request_id: string | null; last: string | null }>({
    name: `find-charge-in-accounts-by-${name.by}`,
    text: `
      WITH batch AS MATERIALIZED (
        SELECT account_id FROM ledger.balances
        WHERE account_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY account_id LIMIT $3
      ), found AS MATERIALIZED (
        SELECT c.account_id, c.request_id
        FROM batch b
        CROSS JOIN LATERAL (
          SELECT c.account_id, c.request_id FROM ledger.charges c
          WHERE c.account_id = b.account_id AND c.${name.by} = $1 LIMIT 1
        ) c
        LIMIT 1
      )
      SELECT (SELECT account_id::text FROM found) AS account_id, (SELECT request_id::text FROM found) AS request_id,
             (SELECT account_id::text FROM batch ORDER BY account_id OFFSET $3 - 1) AS last`,
    values: [name.id, after, limit],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('a row of subqueries is missing');
  const { account_id: accountId, request_id: requestId, last } = row;
  const found = accountId === null || requestId === null ? undefined : { accountId, requestId };
  return { found, last: last ?? undefined };
}
