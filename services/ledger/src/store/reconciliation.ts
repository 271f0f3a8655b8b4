import { RpcError } from '@tollgate/common/errors';
import { DATABASE_TIME_MS } from '@tollgate/common/postgres/database-time';
import { inTransaction, type Pool, type PoolClient, type Queryable } from '@tollgate/common/postgres/pool';
import { codeOf } from './retry.ts';

/** A place in the order of all charges: by account, then by the hour their request started in. */
export interface Place {
  accountId: string;
  /** Start of the hour, Unix milliseconds. */
  hourMs: number;
}

/** The charges from one place up to another one. The accounts before that other one, from the first place on, end in it. */
export interface Slice {
  from: Place;
  /** Exclusive. */
  end: Place;
}

/** What a pass over all accounts has checked. */
export interface Checked {
  accounts: number;
  charges: number;
  transfers: number;
}

/** A pass over all accounts. */
export interface Pass extends Checked {
  /** Unix milliseconds; undefined when none runs. */
  beganMs: number | undefined;
  /** Where it continues. */
  at: Place;
  /** When the last complete pass began: what was posted before is reconciled. 0 before the first one. */
  lastBeganMs: number;
}

interface PassRow {
  began_ms: bigint | null;
  account_id: string;
  hour_ms: bigint;
  accounts: bigint;
  charges: bigint;
  transfers: bigint;
  last_began_ms: bigint;
}

/** SQL: waits until no slice is being checked, and lets none be until the end of the transaction. It takes no snapshot. */
const LOCK_PASS = 'LOCK TABLE ledger.reconciliation_pass IN SHARE UPDATE EXCLUSIVE MODE';

/** How long a slice waits for a slice of another run. */
const LOCK_TIMEOUT = '5s';
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Waits for its turn, and then begins the one snapshot of the transaction.
 *
 * @throws RpcError `unavailable` if a slice of another run does not end in time
 */
export async function takeTurn(client: PoolClient): Promise<void> {
  await client
    .query(`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'; ${LOCK_PASS}`)
    .catch((error: unknown) => {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      throw new RpcError('unavailable', 'another reconciliation is running: try again when it has ended', {
        cause: error,
      });
    });
}

/** The running pass, or what the last one checked. */
export async function readPass(db: Queryable): Promise<Pass> {
  const { rows } = await db.query<PassRow>({
    name: 'read-pass',
    text: `
      SELECT began_ms, account_id::text, hour_ms, accounts, charges, transfers, last_began_ms
      FROM ledger.reconciliation_pass`,
  });
  const [row] = rows;
  if (row === undefined) throw new Error('ledger.reconciliation_pass has no row');
  return {
    beganMs: row.began_ms === null ? undefined : Number(row.began_ms),
    at: { accountId: row.account_id, hourMs: Number(row.hour_ms) },
    accounts: Number(row.accounts),
    charges: Number(row.charges),
    transfers: Number(row.transfers),
    lastBeganMs: Number(row.last_began_ms),
  };
}

/**
 * Begins a pass.
 *
 * @param anew also when one is running
 */
export async function beginPass(db: Queryable, anew: boolean): Promise<void> {
  await db.query({
    name: 'begin-pass',
    text: `
      UPDATE ledger.reconciliation_pass
      SET began_ms = greatest(${DATABASE_TIME_MS}, last_began_ms + 1), account_id = DEFAULT, hour_ms = 0,
          accounts = 0, charges = 0, transfers = 0
      WHERE began_ms IS NULL OR $1`,
    values: [anew],
  });
}

/** Records that a pass has checked more, up to a place; undefined: it is complete. */
export async function advancePass(client: PoolClient, at: Place | undefined, checked: Checked): Promise<void> {
  await client.query({
    name: 'advance-pass',
    text: `
      UPDATE ledger.reconciliation_pass
      SET account_id = coalesce($1, account_id), hour_ms = coalesce($2, hour_ms), accounts = accounts + $3,
          charges = charges + $4, transfers = transfers + $5,
          began_ms = CASE WHEN $1::uuid IS NOT NULL THEN began_ms END,
          last_began_ms = CASE WHEN $1::uuid IS NULL THEN began_ms ELSE last_began_ms END,
          last_ended_ms = CASE WHEN $1::uuid IS NULL THEN ${DATABASE_TIME_MS} ELSE last_ended_ms END`,
    values: [at?.accountId, at?.hourMs, checked.accounts, checked.charges, checked.transfers],
  });
}

export interface ReconciliationStatus {
  /** When the last complete pass began, Unix milliseconds; 0 before the first one. */
  untilMs: number;
  /** As untilMs; before the first complete pass, when the running one began. 0: none has begun. */
  behindSinceMs: number;
  /** Number of open findings. */
  findings: number;
}

/** The state of reconciliation, over all replicas. */
export async function readReconciliationStatus(db: Queryable): Promise<ReconciliationStatus> {
  const { rows } = await db.query<{ until_ms: bigint; behind_since_ms: bigint; findings: bigint }>({
    name: 'read-standing',
    text: `
      SELECT last_began_ms AS until_ms, coalesce(nullif(last_began_ms, 0), began_ms, 0) AS behind_since_ms,
             (SELECT count(*) FROM ledger.findings) AS findings
      FROM ledger.reconciliation_pass`,
  });
  const [row] = rows;
  return {
    untilMs: Number(row?.until_ms ?? 0),
    behindSinceMs: Number(row?.behind_since_ms ?? 0),
    findings: Number(row?.findings ?? 0),
  };
}

/** Claims the scheduled reconciliation, unless another replica did so less than `everyMs` ago, or a slice is being checked. */
export async function claimCheck(pool: Pool, everyMs: number): Promise<boolean> {
  try {
    return await inTransaction(pool, async (client) => {
      await client.query(`${LOCK_PASS} NOWAIT`);
      const { rowCount } = await client.query({
        name: 'claim-check',
        text: `
          UPDATE ledger.reconciliation_pass SET claimed_at = clock_timestamp()
          WHERE claimed_at IS NULL
            OR claimed_at NOT BETWEEN clock_timestamp() - $1 * interval '1 millisecond' AND clock_timestamp()`,
        values: [everyMs],
      });
      return rowCount === 1;
    });
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** Records that charges of months before a time are archived, and are no longer compared with the roll-ups. */
export async function markArchived(client: PoolClient, untilMs: number): Promise<void> {
  await client.query({
    name: 'mark-archived',
    text: 'UPDATE ledger.reconciliation_pass SET archived_until_ms = $1',
    values: [untilMs],
  });
}

/** The time before which charges are archived; 0: none are. */
export async function readArchivedUntil(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ until_ms: bigint }>({
    name: 'read-archived-until',
    text: 'SELECT archived_until_ms AS until_ms FROM ledger.reconciliation_pass',
  });
  return Number(rows[0]?.until_ms ?? 0);
}
