import { CHARGE } from './top-up.ts';
import type { World } from './world.ts';

/** Movements of an account that were made so close together may have been committed in another order. */
const AT_ONCE_MS = 100;
/** Movements at once of which all orders are looked at. */
const MAX_AT_ONCE = 12;

interface Crossing {
  account: string;
  number: bigint;
  payment: string;
  outcome: string;
  balance_cents: number;
  amount_cents: number;
  month: string;
}

interface Entry {
  key: string;
  cents: number;
  at_ms: number;
}

/** What is wrong with automatic top-ups once everything has settled; empty: nothing. */
export async function brokenTopUps(world: World): Promise<string[]> {
  const { rows: crossings } = await world.pool.query<Crossing>(`
    SELECT c.account_id::text AS account, c.number, c.payment_id::text AS payment, c.outcome,
      (c.balance_nanos / 10000000)::int AS balance_cents, (c.amount_nanos / 10000000)::int AS amount_cents,
      to_char(to_timestamp(p.created_at_ms / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM') AS month
    FROM payments.crossings c JOIN payments.payments p USING (account_id, payment_id)
    ORDER BY c.account_id, c.number`);
  const charges = chargesOf(world);
  return [
    ...brokenCharges(crossings, charges),
    ...brokenMonths(world, crossings, charges),
    ...(await brokenBalances(world, crossings, charges)),
    ...(await brokenStates(world)),
  ];
}

interface Charge {
  id: string;
  cents: number;
  isPaid: boolean;
}

/** What was charged automatically at Stripe, by the payment that it is for. */
function chargesOf({ control }: World): Map<string, Charge[]> {
  const charges = new Map<string, Charge[]>();
  for (const { id, amount, amount_received, description, metadata } of control.objects().payment_intents) {
    if (description !== CHARGE) continue;
    const payment = metadata['tollgate_payment'] ?? '';
    const charge = { id, cents: amount, isPaid: amount_received > 0 };
    charges.set(payment, [...(charges.get(payment) ?? []), charge]);
  }
  return charges;
}

/** Each crossing is charged at most once, what was decided, and nothing else is charged. */
function brokenCharges(crossings: readonly Crossing[], charges: Map<string, Charge[]>): string[] {
  const known = new Map(crossings.map((crossing) => [crossing.payment, crossing]));
  return [...charges].flatMap(([payment, made]) => {
    const crossing = known.get(payment);
    if (crossing === undefined) return [`no crossing of ${payment} is charged`];
    const place = `crossing ${crossing.number} of ${crossing.account}`;
    const [charge, second] = made;
    if (second !== undefined) return [`${place} is charged ${made.length} times`];
    if (charge?.cents !== crossing.amount_cents) return [`${place} is charged ${charge?.cents} cents`];
    if (charge.isPaid !== (crossing.outcome === 'settled')) return [`${place} ended as ${crossing.outcome}`];
    return [];
  });
}

function brokenMonths(
  { monthlyMaxCents }: World,
  crossings: readonly Crossing[],
  charges: Map<string, Charge[]>,
): string[] {
  const months = new Map<string, { account: string; cents: number }>();
  for (const { account, month, payment } of crossings) {
    const paid = (charges.get(payment) ?? []).filter(({ isPaid }) => isPaid);
    const before = months.get(`${account} ${month}`)?.cents ?? 0;
    months.set(`${account} ${month}`, { account, cents: paid.reduce((sum, { cents }) => sum + cents, before) });
  }
  return [...months]
    .filter(([, { account, cents }]) => cents > (monthlyMaxCents.get(account) ?? 0))
    .map(
      ([month, { cents }]) => `${month}: ${cents} cents of at most ${monthlyMaxCents.get(month.split(' ')[0] ?? '')}`,
    );
}

/** The balance of which a charge was decided has the credit of the one before. */
async function brokenBalances(
  { pool }: World,
  crossings: readonly Crossing[],
  charges: Map<string, Charge[]>,
): Promise<string[]> {
  const { rows } = await pool.query<Entry & { account: string }>(`
    SELECT account_id::text AS account, idempotency_key AS key, (amount_nanos / 10000000)::int AS cents,
      created_at_ms::float8 AS at_ms
    FROM ledger.deposits ORDER BY account_id, created_at_ms, deposit_id`);
  const entries = Map.groupBy(rows, ({ account }) => account);
  return crossings.flatMap((crossing, index) => {
    const before = crossings[index - 1];
    const credit =
      before?.account === crossing.account ? charges.get(before.payment)?.find(({ isPaid }) => isPaid) : undefined;
    if (credit === undefined) return [];
    const { account, number, balance_cents } = crossing;
    return isBalanceWith(entries.get(account) ?? [], `stripe:${credit.id}`, balance_cents)
      ? []
      : [`crossing ${number} of ${account} was decided at ${balance_cents} cents, without the charge before`];
  });
}

/** Whether an account had a balance at some time, a certain movement included. */
function isBalanceWith(entries: readonly Entry[], key: string, cents: number): boolean {
  return entries.some(({ at_ms }) => {
    const distance = (entry: Entry) => entry.at_ms - at_ms;
    const certain = entries.filter(
      (entry) => distance(entry) < -AT_ONCE_MS || (entry.key === key && distance(entry) <= AT_ONCE_MS),
    );
    if (!certain.some((entry) => entry.key === key)) return false;
    const open = entries.filter((entry) => !certain.includes(entry) && distance(entry) <= AT_ONCE_MS);
    if (open.length > MAX_AT_ONCE) return true;
    let sums = [sumOf(certain)];
    for (const entry of open) sums = sums.flatMap((sum) => [sum, sum + entry.cents]);
    return sums.includes(cents);
  });
}

function sumOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.cents, 0);
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
