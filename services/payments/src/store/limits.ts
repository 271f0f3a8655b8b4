import { lockName } from '@tollgate/common/postgres/lock-name';
import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import type { FailedCard } from '../providers/provider.ts';
import type { PaymentRow } from './payments.ts';

/** Whose payments are limited together. */
export interface Subjects {
  accountId: string;
  /** Empty: nobody who signed in. */
  personId: string;
  /** Undefined: the address is not known. */
  clientNetwork: Buffer | undefined;
}

/** A number for each of the subjects. */
export interface OfSubjects<T> {
  account: T;
  person: T;
  network: T;
}

/**
 * Locks a person and a network until the transaction ends, which have no rows of their own. The account must be locked before,
 * so that two transactions never wait for each other.
 */
export async function lockPersonAndNetwork(db: Queryable, { personId, clientNetwork }: Subjects): Promise<void> {
  const names = [
    ...(personId === '' ? [] : [`person ${personId}`]),
    ...(clientNetwork === undefined ? [] : [`network ${clientNetwork.toString('hex')}`]),
  ];
  for (const name of names) await lockName(db, `tollgate-payments ${name}`);
}

/** How many payments people began since a time, in the account, and by the person and from the network in all accounts. */
export async function countBegun(
  db: Queryable,
  { accountId, personId, clientNetwork }: Subjects,
  sinceMs: number,
): Promise<OfSubjects<number>> {
  const { rows } = await db.query<OfSubjects<number>>({
    name: 'count-begun',
    text: `
      SELECT
        (SELECT count(*)::int FROM payments.payments
         WHERE account_id = $1 AND created_at_ms >= $4 AND idempotency_key IS NOT NULL) AS account,
        (SELECT count(*)::int FROM payments.payments
         WHERE created_by_id = $2 AND $2 <> '' AND created_at_ms >= $4) AS person,
        (SELECT count(*)::int FROM payments.payments WHERE client_network = $3 AND created_at_ms >= $4) AS network`,
    values: [accountId, personId, clientNetwork, sinceMs],
  });
  return onlyRow(rows, 'counts are missing');
}

/** Records cards that failed, each once. */
export async function insertFailedCards(
  db: Queryable,
  { account_id, payment_id }: Pick<PaymentRow, 'account_id' | 'payment_id'>,
  cards: readonly FailedCard[],
): Promise<void> {
  if (cards.length === 0) return;
  await db.query({
    name: 'insert-failed-cards',
    text: `
      INSERT INTO payments.failed_cards (attempt_id, account_id, payment_id, person_id, client_network, failed_at_ms)
      SELECT c.id, p.account_id, p.payment_id, p.created_by_id, p.client_network, c.at
      FROM payments.payments p, unnest($3::text[], $4::bigint[]) AS c (id, at)
      WHERE p.account_id = $1 AND p.payment_id = $2 AND p.checkout_id IS NOT NULL
      ON CONFLICT (attempt_id) DO NOTHING`,
    values: [account_id, payment_id, cards.map(({ id }) => id), cards.map(({ failedAtMs }) => failedAtMs)],
  });
}

/** When so many cards ago one failed that counts, since a time; null: fewer did. */
export async function readNthFailures(
  db: Queryable,
  { accountId, personId, clientNetwork }: Subjects,
  sinceMs: number,
  max: OfSubjects<number>,
): Promise<OfSubjects<bigint | null>> {
  const nth = (condition: string, offset: string) => `
    (SELECT failed_at_ms FROM payments.failed_cards
     WHERE ${condition} AND failed_at_ms >= $4 AND NOT cleared ORDER BY failed_at_ms DESC OFFSET ${offset} LIMIT 1)`;
  const { rows } = await db.query<OfSubjects<bigint | null>>({
    name: 'read-nth-failures',
    text: `
      SELECT ${nth('account_id = $1', '$5')} AS account, ${nth("person_id = $2 AND $2 <> ''", '$6')} AS person,
        ${nth('client_network = $3', '$7')} AS network`,
    values: [accountId, personId, clientNetwork, sinceMs, max.account - 1, max.person - 1, max.network - 1],
  });
  return onlyRow(rows, 'failures are missing');
}

/** How many cards failed in an account since a time, and count. */
export async function countFailedCards(db: Queryable, accountId: string, sinceMs: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count-failed-cards',
    text: `SELECT count(*)::int AS count FROM payments.failed_cards
           WHERE account_id = $1 AND failed_at_ms >= $2 AND NOT cleared`,
    values: [accountId, sinceMs],
  });
  return onlyRow(rows, 'a count is missing').count;
}

/** The cards that failed in an account count no more, for nobody. @returns how many did */
export async function clearFailedCards(db: Queryable, accountId: string): Promise<number> {
  const { rowCount } = await db.query({
    name: 'clear-failed-cards',
    text: 'UPDATE payments.failed_cards SET cleared = true WHERE account_id = $1 AND NOT cleared',
    values: [accountId],
  });
  return rowCount ?? 0;
}

/** Forgets failed cards, and where payments came from, once they are older than a time; returns how many. */
export async function forgetClients(db: Queryable, beforeMs: number, limit: number): Promise<number> {
  const cards = await db.query(
    `DELETE FROM payments.failed_cards WHERE attempt_id IN (
       SELECT attempt_id FROM payments.failed_cards WHERE failed_at_ms < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [beforeMs, limit],
  );
  const networks = await db.query(
    `UPDATE payments.payments SET client_network = NULL WHERE (account_id, payment_id) IN (
       SELECT account_id, payment_id FROM payments.payments
       WHERE client_network IS NOT NULL AND created_at_ms < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [beforeMs, limit],
  );
  return (cards.rowCount ?? 0) + (networks.rowCount ?? 0);
}
