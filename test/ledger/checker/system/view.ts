import type { Queryable } from '@tollgate/common/postgres/pool';

export interface BalanceView {
  available: bigint;
  leased: bigint;
  owed: bigint;
  loss: bigint;
}

export interface ChargeView {
  account: string;
  session: string;
  hold: bigint;
  cost: bigint;
  charged: bigint;
}

export interface SessionView {
  state: string;
  endedBy: string | null;
}

/** The state of the ledger, read in one statement. */
export interface LedgerView {
  balances: Map<string, BalanceView>;
  /** The remaining credit of leases, by account and session. */
  remaining: Map<string, bigint>;
  /** All that was ever granted to sessions: by session, and by credit or cap. */
  grants: Map<string, Map<string, bigint>>;
  charges: Map<string, ChargeView>;
  sessions: Map<string, SessionView>;
}

export async function readView(db: Queryable): Promise<LedgerView> {
  const { rows } = await db.query<{ row: string[] }>(`
    SELECT ARRAY['balance', account_id::text, available::text, leased::text, (-receivable)::text, (-operator_loss)::text] AS row
      FROM ledger.balances
    UNION ALL
    SELECT ARRAY['lease', account_id || '/' || session_id, (granted - spent - returned)::text] FROM ledger.leases
    UNION ALL
    SELECT ARRAY['grant', session_id::text, account_id::text, granted::text] FROM ledger.leases
    UNION ALL
    SELECT ARRAY['grant', session_id::text, concat_ws('/', 'cap', account_id, node_id, period, period_start_ms), granted::text]
      FROM ledger.ceiling_leases
    UNION ALL
    SELECT ARRAY['session', session_id::text, state::text, ended_by] FROM ledger.sessions
    UNION ALL
    SELECT ARRAY['charge', request_id::text, account_id::text, session_id::text, hold_nanos::text, cost_nanos::text,
                 charged_nanos::text] FROM ledger.charges
    ORDER BY row`);
  const view: LedgerView = {
    balances: new Map(),
    remaining: new Map(),
    grants: new Map(),
    charges: new Map(),
    sessions: new Map(),
  };
  for (const { row } of rows) {
    const [kind, id = '', a = '0', b = '0', c = '0', d = '0', e = '0'] = row;
    if (kind === 'balance') {
      view.balances.set(id, { available: BigInt(a), leased: BigInt(b), owed: BigInt(c), loss: BigInt(d) });
    } else if (kind === 'lease') view.remaining.set(id, BigInt(a));
    else if (kind === 'grant') {
      const ofSession = view.grants.get(id) ?? new Map<string, bigint>();
      view.grants.set(id, ofSession.set(a, BigInt(b)));
    } else if (kind === 'session') view.sessions.set(id, { state: a, endedBy: row[3] ?? null });
    else {
      const key = view.charges.has(id) ? `${id} again` : id;
      view.charges.set(key, { account: a, session: b, hold: BigInt(c), cost: BigInt(d), charged: BigInt(e) });
    }
  }
  return view;
}

export function allClosed(view: LedgerView): boolean {
  return [...view.sessions.values()].every(({ state }) => state === 'closed');
}
