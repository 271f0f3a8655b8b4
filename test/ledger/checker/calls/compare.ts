import type { Queryable } from '@tollgate/common/postgres/pool';
import { readLots } from '@tollgate/ledger/store/lots';
import { brokenInvariants } from '@tollgate/ledger/testing/check-invariants';
import type { Charge } from '@tollgate/proto/ledger';
import { startOf } from './cap-model.ts';
import { isRun } from './ceilings.ts';
import type { LedgerModel } from './model.ts';
import { show } from './operations.ts';

/** What is compared after each step: the name of an account or session, with its figures, as text. */
type Figures = string[];

/** The figures in the database. */
export async function figuresOf(db: Queryable): Promise<Figures> {
  const { rows } = await db.query<{ figure: string }>(`
    SELECT concat_ws(' ', 'balance', account_id, available, leased, revenue, -deposits - adjustments, -receivable,
                     -operator_loss, breakage) AS figure
      FROM ledger.balances
    UNION ALL
    SELECT concat_ws(' ', 'lease', account_id, session_id, granted, spent, returned) FROM ledger.leases
    UNION ALL
    SELECT concat_ws(' ', 'cap', account_id, node_id, period, period_start_ms, limit_nanos, revision, spent, leased)
      FROM ledger.ceilings
    UNION ALL
    SELECT concat_ws(' ', 'cap lease', account_id, node_id, period, period_start_ms, session_id, granted, spent, returned)
      FROM ledger.ceiling_leases
    UNION ALL
    SELECT concat_ws(' ', 'session', session_id, CASE state WHEN 'open' THEN 'open' ELSE 'closed' END) FROM ledger.sessions
    UNION ALL
    SELECT concat_ws(' ', 'charge', account_id, request_id, session_id, hold_nanos, cost_nanos, charged_nanos,
                     coalesce(tags::text, '{}'), coalesce(node_ids::text, '{}'))
      FROM ledger.charges
    UNION ALL
    SELECT concat_ws(' ', 'node', account_id, node_id, day_ms, charged_nanos) FROM ledger.node_usage`);
  return [...rows.map((row) => row.figure), ...(await lotFigures(db))].sort();
}

/** The lots with all charges attributed, and whether what is stored of them adds up to the balance. */
async function lotFigures(db: Queryable): Promise<Figures> {
  const { rows } = await db.query<{ account_id: string; credit: bigint }>(`
    SELECT b.account_id::text, l.remaining - (b.revenue + b.operator_loss - b.attributed) AS credit
    FROM ledger.balances b
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(remaining), 0)::bigint AS remaining FROM ledger.lots WHERE account_id = b.account_id
    ) l`);
  const figures: Figures = [];
  for (const { account_id: account, credit } of rows) {
    figures.push(`lots ${account} ${credit}`);
    const open = (await readLots(db, account)).lots;
    const { rows: used } = await db.query<{ figure: string }>(
      `SELECT concat_ws(' ', 'lot', account_id, lot_id, payment_id, kind, remaining, spent, taken, expired) AS figure
       FROM ledger.lots WHERE account_id = $1 AND remaining = 0`,
      [account],
    );
    figures.push(...used.map(({ figure }) => figure));
    for (const { lotId, paymentId, kind, remaining, spent, taken, expired } of open) {
      figures.push(`lot ${account} ${lotId} ${paymentId} ${kind} ${remaining} ${spent} ${taken} ${expired}`);
    }
  }
  return figures;
}

/** The figures of the model. */
export function figuresOfModel(model: LedgerModel): Figures {
  const figures: Figures = [...model.lots.figures(), ...model.caps.lines()];
  for (const [id, { available, revenue, deposits, owed, loss, breakage }] of model.accounts) {
    figures.push(`lots ${id} ${available + model.leased(id)}`);
    figures.push(`balance ${id} ${available} ${model.leased(id)} ${revenue} ${deposits} ${owed} ${loss} ${breakage}`);
  }
  for (const [key, { granted, spent, returned }] of model.leases) {
    figures.push(`lease ${key.replace('/', ' ')} ${granted} ${spent} ${returned}`);
  }
  for (const [id, { state }] of model.sessions) figures.push(`session ${id} ${state}`);
  for (const { charge: c, charged } of model.posted.values()) {
    figures.push(
      `charge ${c.accountId} ${c.requestId} ${c.sessionId} ${c.holdNanos} ${c.costNanos} ${charged} ${tagsOf(c)} {${nodesAbove(c)}}`,
    );
  }
  figures.push(...nodeFigures(model));
  return figures.sort();
}

/** The nodes above the key of a charge. */
function nodesAbove({ nodes }: Charge): string[] {
  return nodes.map(({ nodeId }) => nodeId).filter((nodeId) => !isRun(nodeId));
}

/** What was charged below nodes above keys, by day. */
function nodeFigures(model: LedgerModel): Figures {
  const sums = new Map<string, bigint>();
  for (const { charge, charged } of model.posted.values()) {
    if (charged === 0n) continue;
    for (const nodeId of nodesAbove(charge)) {
      const name = `node ${charge.accountId} ${nodeId} ${startOf('day', Number(charge.startedAtMs))}`;
      sums.set(name, (sums.get(name) ?? 0n) + charged);
    }
  }
  return [...sums].map(([name, sum]) => `${name} ${sum}`);
}

/** A charge's tags as Postgres prints them; there is at most one. */
function tagsOf({ tags }: Charge): string {
  return `{${Object.entries(tags).map(([name, value]) => `"${name}": "${value}"`)}}`;
}

/** The differences between two lists of figures; undefined if there are none. */
export function difference(found: Figures, right: Figures): string | undefined {
  const rightOnes = new Set(right);
  const foundOnes = new Set(found);
  const wrong = found.filter((figure) => !rightOnes.has(figure));
  const missing = right.filter((figure) => !foundOnes.has(figure));
  if (wrong.length === 0 && missing.length === 0) return undefined;
  return `the ledger has [${wrong.join('; ')}], not [${missing.join('; ')}]`;
}

/** Describes a fault of the ledger at the end of a history; undefined if there is none. */
export async function finalFault(db: Queryable, model: LedgerModel): Promise<string | undefined> {
  const broken = await brokenInvariants(db);
  if (broken.length > 0) return `invariants are broken: ${broken.join('; ')}`;
  const usage = await usageFault(db, model);
  if (usage !== undefined) return usage;
  const { rows } = await db.query<{ count: bigint }>('SELECT count(*) FROM ledger.quarantine');
  if (Number(rows[0]?.count) === model.quarantined.size) return undefined;
  return `${rows[0]?.count} records are in quarantine, not ${model.quarantined.size}`;
}

const HOUR_MS = 3_600_000n;

/** Compares the roll-ups with sums of the model's charges. */
async function usageFault(db: Queryable, model: LedgerModel): Promise<string | undefined> {
  for (const [table, lengthMs] of [['usage_hourly', HOUR_MS] as const, ['usage_daily', 24n * HOUR_MS] as const]) {
    const sums = new Map<string, { requests: bigint; charged: bigint; cost: bigint; input: bigint; output: bigint }>();
    for (const { charge, charged } of model.posted.values()) {
      const start = (charge.startedAtMs / lengthMs) * lengthMs;
      const key = `${charge.accountId} ${start} ${charge.keyId} ${charge.model}`;
      const sum = sums.get(key) ?? { requests: 0n, charged: 0n, cost: 0n, input: 0n, output: 0n };
      sums.set(key, sum);
      sum.requests += 1n;
      sum.charged += charged;
      sum.cost += charge.costNanos;
      for (const line of charge.lines) {
        if (line.bucket === 'input') sum.input += line.quantity;
        if (line.bucket === 'output') sum.output += line.quantity;
      }
    }
    const right = [...sums].map(([key, sum]) => `${key} ${Object.values(sum).join(' ')}`);
    const { rows } = await db.query<{ row: string }>(`
      SELECT concat_ws(' ', account_id, start_ms, key_id, model, requests, charged_nanos, cost_nanos, input, output) AS row
      FROM ledger.${table}`);
    const wrong = difference(rows.map(({ row }) => row).sort(), right.sort());
    if (wrong !== undefined) return `${table}: ${show(wrong)}`;
  }
  return undefined;
}
