import { type Books, type Charge, type Crossing, type Entry, judgeTopUps } from './judge-top-ups.ts';
import { CHARGE } from './top-up.ts';
import type { World } from './world.ts';

/** What is wrong with automatic top-ups, and with the states of payments, once everything has settled; empty: nothing. */
export async function brokenTopUps(world: World): Promise<string[]> {
  return [...judgeTopUps(await readBooks(world)), ...(await brokenStates(world))];
}

async function readBooks({ pool, control, monthlyMaxCents }: World): Promise<Books> {
  const { rows: crossings } = await pool.query<Crossing>(`
    SELECT c.account_id::text AS account, c.number, c.payment_id::text AS payment, c.outcome,
      (c.balance_nanos / 10000000)::int AS "balanceCents", (c.amount_nanos / 10000000)::int AS "amountCents",
      to_char(to_timestamp(p.created_at_ms / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM') AS month
    FROM payments.crossings c JOIN payments.payments p USING (account_id, payment_id)
    ORDER BY c.account_id, c.number`);
  const { rows: entries } = await pool.query<Entry>(`
    SELECT account_id::text AS account, idempotency_key AS key, (amount_nanos / 10000000)::int AS cents,
      created_at_ms::float8 AS "atMs"
    FROM ledger.deposits ORDER BY account_id, created_at_ms, deposit_id`);
  const charges: Charge[] = control
    .objects()
    .payment_intents.filter(({ description }) => description === CHARGE)
    .map(({ id, amount, amount_received, metadata }) => ({
      id,
      payment: metadata['tollgate_payment'] ?? '',
      cents: amount,
      isPaid: amount_received > 0,
    }));
  return { crossings, charges, entries, monthlyMaxCents };
}

/** A payment is settled if the ledger has its deposit, and a crossing if its payment is. */
async function brokenStates({ pool }: World): Promise<string[]> {
  const { rows } = await pool.query<{ broken: string }>(`
    SELECT coalesce(p.payment_id::text, d.idempotency_key) || ' is ' || coalesce(p.state, 'unknown') AS broken
    FROM payments.payments p FULL JOIN (SELECT * FROM ledger.deposits WHERE idempotency_key ~ '^stripe:pi_[^:]*$') d
      ON d.account_id = p.account_id AND d.idempotency_key = 'stripe:' || p.provider_payment
    WHERE (p.state IS NOT DISTINCT FROM 'settled') <> (d.deposit_id IS NOT NULL)
    UNION ALL
    SELECT 'crossing ' || c.number || ' of ' || c.account_id || ' ended as ' || c.outcome || ', payment ' || p.state
    FROM payments.crossings c JOIN payments.payments p USING (account_id, payment_id)
    WHERE (c.outcome = 'settled') <> (p.state = 'settled')`);
  return rows.map(({ broken }) => broken);
}
