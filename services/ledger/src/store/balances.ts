import { runPipeline, type Statement } from '@tollgate/common/postgres/pipeline';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { arrayOfText, arrayText } from './batch.ts';

/** Creates the missing balances of accounts, in order of account_id. */
export async function ensureAccounts(db: Queryable, accountIds: readonly string[]): Promise<void> {
  await db.query({
    name: 'ensure-accounts',
    text: `
      INSERT INTO ledger.balances (account_id)
      SELECT account_id FROM unnest($1::uuid[]) AS a (account_id) ORDER BY account_id
      ON CONFLICT (account_id) DO NOTHING`,
    values: [accountIds],
  });
}

/** A page of all accounts, in order, after the given one. */
export async function listAccounts(db: Queryable, after: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>({
    name: 'list-accounts',
    text: 'SELECT account_id::text FROM ledger.balances b WHERE account_id > $1 ORDER BY b.account_id LIMIT $2',
    values: [after, limit],
  });
  return rows.map((row) => row.account_id);
}

/** The number of accounts from one up to, and without, another one. */
export async function countAccounts(db: Queryable, from: string, end: string): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>({
    name: 'count-accounts',
    text: 'SELECT count(*) FROM ledger.balances WHERE account_id >= $1 AND account_id < $2',
    values: [from, end],
  });
  return Number(rows[0]?.count ?? 0);
}

/** A page of the accounts that owe money and have some available, in order, after the given one. */
export async function accountsInDebt(db: Queryable, after: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>({
    name: 'accounts-in-debt',
    text: `
      SELECT account_id::text FROM ledger.balances b
      WHERE receivable < 0 AND available > 0 AND account_id > $1
      ORDER BY b.account_id LIMIT $2`,
    values: [after, limit],
  });
  return rows.map((row) => row.account_id);
}

export interface LockedBalance {
  /** Prepaid and on no lease. */
  available: bigint;
  /** On leases of ingress sessions. */
  leased: bigint;
  /** What the account owes, 0n or more. */
  owed: bigint;
  /** Whether the account owes money: it gets no credit then. */
  suspended: boolean;
  /** The database's clock, Unix milliseconds. */
  nowMs: bigint;
}

/** Locks one account's balance until the transaction ends (see lockBalances); undefined for an unknown account. */
export async function lockBalance(client: PoolClient, accountId: string): Promise<LockedBalance | undefined> {
  const { rows } = await client.query<{ available: bigint; leased: bigint; owed: bigint; now_ms: bigint }>({
    name: 'lock-balance',
    text: `
      SELECT available, leased, -receivable AS owed,
             floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
      FROM ledger.balances WHERE account_id = $1 FOR UPDATE`,
    values: [accountId],
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  const { available, leased, owed } = row;
  return { available, leased, owed, suspended: owed > 0n, nowMs: row.now_ms };
}

export interface LockedBalances {
  /** The accounts that exist. */
  known: ReadonlySet<string>;
  /** What can be charged to accounts before they are at notify_below, for those that have it; nano-dollars. */
  untilNotified: ReadonlyMap<string, bigint>;
  /** The database's clock, Unix milliseconds. */
  nowMs: bigint;
}

/**
 * Locks the balances of several accounts until the transaction ends. It is always the first lock of a transaction, and
 * always in order of account_id, so that transactions cannot deadlock. It also guards the accounts' leases, charges and
 * roll-ups: nothing changes those without it.
 */
export async function lockBalances(client: PoolClient, accountIds: readonly string[]): Promise<LockedBalances> {
  const [locked] = await runPipeline(client, [balancesLock(accountIds)]);
  return locked;
}

/** See lockBalances. */
export function balancesLock(accountIds: readonly string[]): Statement<LockedBalances> {
  return {
    name: 'lock-balances',
    text: `
      WITH locked AS (
        SELECT account_id, available + leased - notify_below AS until_notified
        FROM ledger.balances WHERE account_id = ANY ($1::uuid[]) ORDER BY account_id FOR UPDATE
      )
      SELECT array_agg(account_id), array_agg(account_id) FILTER (WHERE until_notified IS NOT NULL),
             array_agg(until_notified) FILTER (WHERE until_notified IS NOT NULL),
             floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
      FROM locked`,
    values: [arrayText(accountIds)],
    read: (rows) => {
      const [known = null, notified = null, until = null, nowMs = null] = rows[0] ?? [];
      if (nowMs === null) throw new Error('an aggregate gave no row');
      const amounts = arrayOfText(until);
      return {
        known: new Set(arrayOfText(known)),
        untilNotified: new Map(
          arrayOfText(notified).map((accountId, index) => [accountId, BigInt(amounts[index] ?? 0)]),
        ),
        nowMs: BigInt(nowMs),
      };
    },
  };
}

export interface BalanceView {
  available: bigint;
  leased: bigint;
  /** The amount held by open requests, as their ingresses last reported. */
  held: bigint;
  /** What the account owes. */
  receivable: bigint;
}

/** Reads an account's balance; undefined for an unknown account. */
export async function readBalance(db: Queryable, accountId: string): Promise<BalanceView | undefined> {
  const { rows } = await db.query<BalanceView>({
    name: 'read-balance',
    text: `
      SELECT b.available, b.leased, -b.receivable AS receivable, coalesce(h.held, 0)::bigint AS held
      FROM ledger.balances b
      CROSS JOIN LATERAL (
        SELECT sum(r.held_nanos) AS held
        FROM ledger.held r JOIN ledger.sessions s ON s.session_id = r.session_id
        WHERE r.account_id = b.account_id AND s.state = 'open'
      ) h
      WHERE b.account_id = $1`,
    values: [accountId],
  });
  return rows[0];
}

/** What a batch moves on one account: cost goes to revenue, the charged part from leases, the rest from operator loss. */
export interface AccountCharge {
  accountId: string;
  charged: bigint;
  cost: bigint;
}

/** Moves the charges of a batch. The balances must be locked. */
export function chargeBalances(moves: readonly AccountCharge[]): Statement<void> {
  return {
    name: 'charge-balances',
    text: `
      UPDATE ledger.balances b SET
        leased = b.leased - d.charged,
        operator_loss = b.operator_loss - (d.cost - d.charged),
        revenue = b.revenue + d.cost
      FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS d (account_id, charged, cost)
      WHERE b.account_id = d.account_id`,
    values: [
      arrayText(moves.map((move) => move.accountId)),
      arrayText(moves.map((move) => move.charged)),
      arrayText(moves.map((move) => move.cost)),
    ],
    read: () => undefined,
  };
}

/** Sets the next low-balance threshold of accounts; null for none. The balances must be locked. */
export async function setNotifyBelow(
  client: PoolClient,
  changes: readonly { accountId: string; next: bigint | null }[],
): Promise<void> {
  await client.query({
    name: 'set-notify-below',
    text: `
      UPDATE ledger.balances b SET notify_below = c.next
      FROM unnest($1::uuid[], $2::bigint[]) AS c (account_id, next)
      WHERE b.account_id = c.account_id`,
    values: [changes.map((change) => change.accountId), changes.map((change) => change.next)],
  });
}

export interface DebtPayment {
  accountId: string;
  /** A new UUIDv7. */
  transferId: string;
  amount: bigint;
  nowMs: bigint;
}

/**
 * Pays debt of an account out of its available credit. The balance must be locked. The transfer references the latest
 * deposit that caused debt.
 */
export async function moveToDebt(client: PoolClient, payment: DebtPayment): Promise<void> {
  const { rowCount } = await client.query({
    name: 'move-to-debt',
    text: `
      WITH moved AS (
        UPDATE ledger.balances SET available = available - $3, receivable = receivable + $3 WHERE account_id = $1
      )
      INSERT INTO ledger.transfers
        (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
      SELECT $1, $2, 'available', 'receivable', $3, 'debt_paid', deposit_id, $4
      FROM ledger.deposits WHERE account_id = $1 AND owed_nanos > 0
      ORDER BY created_at_ms DESC, deposit_id DESC LIMIT 1`,
    values: [payment.accountId, payment.transferId, payment.amount, payment.nowMs],
  });
  if (rowCount !== 1) throw new Error('an account owes money that no deposit accounts for');
}
