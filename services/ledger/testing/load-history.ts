import { createPool, inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { partitionName } from '../src/store/partitions.ts';
import { MAX_KEPT } from '../src/store/refusals.ts';
import { MAX_CLIENT_SESSIONS } from '../src/store/session-ceilings.ts';
import { DAY_MS, HOUR_MS, monthStart } from '../src/store/time.ts';
import { SUM_COLUMNS, USAGE_BUCKETS } from '../src/store/usage.ts';
import { silent } from './ledger-fixture.ts';

/** What is loaded. */
export interface HistorySize {
  charges: number;
  /** Accounts with a balance; a tenth of them has charges. The first one has three in ten of all charges. */
  accounts: number;
  /** Keys and models of the first account. Others have one key and two models. */
  keys: number;
  models: number;
  /** Rows of each of the other tables. */
  others: number;
}

export interface History {
  /** When the first request started, and one millisecond after the last one. */
  startMs: number;
  endMs: number;
  /** The account with three in ten of all charges, one of the others, and a session that is open. */
  largest: string;
  other: string;
  openSession: string;
}

export const HISTORY_DAYS = 75;

/** $10 per million tokens. */
const NANOS_PER_TOKEN = 10_000;

/** Buckets that no loaded charge has. */
const EMPTY_BUCKETS = USAGE_BUCKETS.filter((bucket) => bucket !== 'output');

/** SQL: the id of the key of a number. */
export const keyIdSql = (number: string) =>
  `('00000000-0000-7000-8000-00000a' || lpad(to_hex(${number}), 6, '0'))::uuid`;
export const keyId = (number: number) => `00000000-0000-7000-8000-00000a${number.toString(16).padStart(6, '0')}`;

/** The first key of each account, the only one with a cap. */
export const KEY = keyId(0);

/** The project of all keys, below the default one. */
export const PROJECT = '00000000-0000-7000-8000-00000b000000';
/** Also owns keys. */
const OTHER_OWNER = '00000000-0000-7000-8000-00000b000001';
const PROJECT_SQL = `'${PROJECT}'::uuid`;

/** SQL: the id of the account of a number. */
export const accountIdSql = (number: string) =>
  `('00000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
export const accountId = (number: number) => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/** SQL: a UUIDv7 of a time, made unique by a number. */
const idAt = (ms: string, number: string) =>
  `(lpad(to_hex(${ms}), 12, '0') || '70008' || lpad(to_hex(${number}), 15, '0'))::uuid`;

/**
 * Loads a history of months into an empty ledger: requests at an even rate, each hour from other accounts, under leases of
 * three sessions a week. All invariants hold.
 */
export async function loadHistory(url: string, size: HistorySize, nowMs: number): Promise<History> {
  const pool = createPool({ url, size: 3, applicationName: 'tollgate-load', statementTimeoutMs: 600_000 }, silent);
  try {
    return await load(pool, size, nowMs);
  } finally {
    await pool.end();
  }
}

async function load(pool: Pool, size: HistorySize, nowMs: number): Promise<History> {
  const endMs = nowMs - 120_000;
  const startMs = endMs - HISTORY_DAYS * DAY_MS;
  const history: History = {
    startMs,
    endMs,
    largest: accountId(0),
    other: accountId(18),
    openSession: '',
  };
  await loadCharges(pool, size, history);
  await sumUp(pool, size, history);
  const { rows } = await pool.query<{ session_id: string }>(
    'SELECT session_id::text FROM ledger.sessions WHERE state = $1 ORDER BY session_id DESC LIMIT 1',
    ['open'],
  );
  await pool.query('ANALYZE');
  return { ...history, openSession: rows[0]?.session_id ?? '' };
}

/** Fills the partitions two at a time without their indexes, which are created afterwards. */
async function loadCharges(pool: Pool, size: HistorySize, history: History): Promise<void> {
  const indexes = await pool.query<{ definition: string }>(
    `SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = 'ledger.charges'::regclass AND NOT indisprimary`,
  );
  const definitions = indexes.rows.map((row) => row.definition);
  for (const definition of definitions) {
    await pool.query(`DROP INDEX ledger.${/INDEX (\S+) ON/.exec(definition)?.[1] ?? ''}`);
  }
  await pool.query('ALTER TABLE ledger.charges DROP CONSTRAINT charges_pkey');
  const stepMs = (history.endMs - history.startMs) / size.charges;
  const months: number[] = [];
  for (let month = monthStart(history.startMs); month < history.endMs; month = monthStart(month, 1)) months.push(month);
  const fill = async (month: number) => {
    const first = Math.max(0, Math.ceil((month - history.startMs) / stepMs));
    const last = Math.min(size.charges, Math.ceil((monthStart(month, 1) - history.startMs) / stepMs)) - 1;
    await fillMonth(pool, partitionName('charges', month), { first, last, stepMs, ...history, ...size }, definitions);
  };
  const waiting = [...months];
  const worker = async () => {
    for (let month = waiting.shift(); month !== undefined; month = waiting.shift()) await fill(month);
  };
  await Promise.all([worker(), worker()]);
  await pool.query('ALTER TABLE ledger.charges ADD PRIMARY KEY (account_id, request_id)');
  for (const definition of definitions) await pool.query(definition.replace(' ON ONLY ', ' ON '));
}

async function fillMonth(
  pool: Pool,
  partition: string,
  given: HistorySize & { first: number; last: number; stepMs: number; startMs: number },
  definitions: readonly string[],
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL maintenance_work_mem = '400MB'`);
    await client.query(
      `
      INSERT INTO ledger.${partition} (
        account_id, request_id, session_id, key_id, trace_id, started_at_ms, settled_at_ms, hold_nanos, cost_nanos,
        charged_nanos, first_token_ms, duration_ms, retries, status, streamed, usage_estimated, key_name, model, provider,
        deployment, protocol_in, protocol_out, finish_reason, price_version, lines, content_hash, client_session_id, node_ids)
      SELECT ${accountIdSql('n')}, ${idAt('ms', 'i')}, ${idAt('week', '1 + i % 3')}, ${keyIdSql('key')}, md5(i::text)::uuid, ms,
             ms + 1000, cost, cost, cost, 100, 900, 0,
             CASE WHEN i % 500 = 0 THEN 'failed' ELSE 'completed' END::ledger.charge_status, true, false, 'key-' || key, 'model-' || model, 'openai', 'main',
             'openai-chat', 'openai-chat', 'stop', 'v1',
             ('[["output","' || tokens || '","${NANOS_PER_TOKEN}000000","' || cost || '"]]')::jsonb, '\\x00'::bytea,
             CASE WHEN i % 4 = 0 THEN 'session-' || i % 1000 END, ARRAY[${accountIdSql('n')}, ${PROJECT_SQL}]
      FROM generate_series($1::bigint, $2::bigint) i
      CROSS JOIN LATERAL (
        SELECT ms, ms - ms % (7 * 86400000) AS week, 100 + i % 900 AS tokens,
               (100 + i % 900) * ${NANOS_PER_TOKEN} AS cost,
               CASE WHEN i % 10 < 3 THEN i / 10 % $6::bigint ELSE 0 END AS key,
               CASE WHEN i % 10 < 3 THEN (i / 10 / $6::bigint + i % 10) % $7::bigint ELSE i % 2 END AS model,
               CASE WHEN i % 10 < 3 THEN 0 ELSE 1 + (ms / 3600000 * 17 + i % 40) % $5::bigint END AS n
        FROM (SELECT $3::bigint + floor(i * $4::float8)::bigint AS ms) t
        OFFSET 0
      ) row`,
      [given.first, given.last, given.startMs, given.stepMs, Math.floor(given.accounts / 10), given.keys, given.models],
    );
    await client.query(`ALTER TABLE ledger.${partition} ADD PRIMARY KEY (account_id, request_id)`);
    for (const definition of definitions) {
      await client.query(definition.replace(/INDEX \S+ ON ONLY ledger\.charges/, `INDEX ON ledger.${partition}`));
    }
  });
}

/** Fills all other tables from the charges. */
async function sumUp(pool: Pool, size: HistorySize, history: History): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL work_mem = '200MB'`);
    await client.query(`
      CREATE TEMP TABLE sums ON COMMIT DROP AS
      SELECT account_id, session_id, key_id, model, started_at_ms - started_at_ms % 3600000 AS hour, count(*) AS requests,
             sum(cost_nanos)::bigint AS cost
      FROM ledger.charges GROUP BY 1, 2, 3, 4, 5`);
    for (const [table, start] of [
      ['usage_hourly', 'hour'],
      ['usage_daily', 'hour - hour % 86400000'],
    ]) {
      await client.query(`
        INSERT INTO ledger.${table} (account_id, start_ms, key_id, model, project_id, owner_id, requests, charged_nanos,
          cost_nanos, output, ${EMPTY_BUCKETS.join(', ')})
        SELECT account_id, ${start}, key_id, model, account_id, ${PROJECT_SQL}, sum(requests), sum(cost), sum(cost), sum(cost) / ${NANOS_PER_TOKEN},
               ${EMPTY_BUCKETS.map(() => 0).join(', ')}
        FROM sums GROUP BY 1, 2, 3, 4`);
      // In every tenth hour or day all keys had another owner.
      await client.query(
        `
        INSERT INTO ledger.${table}_moved (account_id, start_ms, key_id, model, project_id, owner_id,
          ${SUM_COLUMNS.join(', ')})
        SELECT u.account_id, u.start_ms, u.key_id, u.model, u.project_id, o.owner_id,
          ${SUM_COLUMNS.map((name) => `o.sign * u.${name}`).join(', ')}
        FROM ledger.${table} u
        CROSS JOIN (VALUES (${PROJECT_SQL}, -1), ('${OTHER_OWNER}'::uuid, 1)) AS o (owner_id, sign)
        WHERE u.start_ms / $1 % 10 = 0`,
        [table === 'usage_hourly' ? HOUR_MS : DAY_MS],
      );
    }
    await client.query(`
      INSERT INTO ledger.node_usage (account_id, node_id, day_ms, charged_nanos)
      SELECT account_id, node_id, hour - hour % 86400000, sum(cost)
      FROM sums CROSS JOIN LATERAL (VALUES (account_id), (${PROJECT_SQL})) AS n (node_id)
      GROUP BY 1, 2, 3`);
    await client.query(`
      INSERT INTO ledger.sessions (session_id, ingress_name, epoch, state, opened_at, last_heartbeat_at, ended_at, ended_by)
      SELECT session_id, 'ingress', 1, CASE WHEN is_last THEN 'open' ELSE 'closed' END::ledger.session_state, at, at,
             CASE WHEN is_last THEN NULL ELSE at + interval '7 days' END, CASE WHEN is_last THEN NULL ELSE 'close' END
      FROM (
        SELECT session_id, max(hour) >= (SELECT max(hour) - 3600000 FROM sums) AS is_last,
               to_timestamp(min(hour) / 1000) AS at
        FROM sums GROUP BY 1
      ) s`);
    await client.query(
      `INSERT INTO ledger.sessions (session_id, ingress_name, epoch, state, opened_at, last_heartbeat_at, ended_at,
                                    ended_by, leases_removed, leases_gone)
       SELECT ${idAt('$1::bigint - i * 60000', 'i')}, 'ingress', 1, 'closed', at, at, at, 'close', true, true
       FROM generate_series(1, $2::bigint) i
       CROSS JOIN LATERAL (SELECT to_timestamp(($1::bigint - i * 60000) / 1000) AS at) t`,
      [history.startMs - 40 * DAY_MS, size.others],
    );
    // The grants equal the spending; open sessions have 1,000 more.
    await client.query(`
      CREATE TEMP TABLE lease_spending ON COMMIT DROP AS
      SELECT s.account_id, s.session_id, sum(cost)::bigint AS spent, min(hour) AS at,
             CASE WHEN min(x.state) = 'open' THEN 1000 ELSE 0 END AS rest
      FROM sums s JOIN ledger.sessions x ON x.session_id = s.session_id GROUP BY 1, 2`);
    await client.query(`
      INSERT INTO ledger.leases (account_id, session_id, granted, spent, acquire_sequence)
      SELECT account_id, session_id, spent + rest, spent, 1 FROM lease_spending`);
    await client.query(
      `INSERT INTO ledger.transfers (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
       SELECT account_id, ${idAt('greatest(at, $1::bigint)', 'row_number() OVER ()')}, 'available', 'leased', spent + rest,
              'lease_grant', session_id, greatest(at, $1::bigint)
       FROM lease_spending ORDER BY at`,
      [history.startMs],
    );
    await client.query(
      `INSERT INTO ledger.deposits (account_id, deposit_id, kind, amount_nanos, reason, idempotency_key, input_hash,
                                    created_at_ms)
       SELECT ${accountIdSql('i')}, ${idAt('$1::bigint + i', 'i')}, 'deposit',
              CASE WHEN i = 0 THEN 100000000000000 ELSE 1000000000000 END, 'loaded', 'first', '\\x00', $1 + i
       FROM generate_series(0, $2::bigint - 1) i`,
      [history.startMs, size.accounts],
    );
    await client.query(
      `INSERT INTO ledger.transfers (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
       SELECT account_id, ${idAt('created_at_ms', '900000000 + row_number() OVER ()')}, 'deposits', 'available',
              amount_nanos, 'deposit', deposit_id, created_at_ms FROM ledger.deposits ORDER BY created_at_ms`,
    );
    await client.query(`
      INSERT INTO ledger.balances (account_id, available, leased, revenue, deposits, attributed)
      SELECT d.account_id, d.amount_nanos - coalesce(l.spent + l.rest, 0), coalesce(l.rest, 0), coalesce(l.spent, 0),
             -d.amount_nanos, coalesce(l.spent, 0)
      FROM ledger.deposits d
      LEFT JOIN (SELECT account_id, sum(spent) AS spent, sum(rest) AS rest FROM lease_spending GROUP BY 1) l
        ON l.account_id = d.account_id`);
    await loadLots(client, size, history);
    await client.query(`
      INSERT INTO ledger.held (account_id, session_id, held_nanos)
      SELECT l.account_id, l.session_id, 10 FROM lease_spending l`);
    await client.query(
      `INSERT INTO ledger.quarantine (account_id, request_id, content_hash, reason, charge)
       SELECT ${accountIdSql('i')}::text, i::text, '\\x00', 'loaded', '\\x00' FROM generate_series(1, $1::bigint) i`,
      [size.others],
    );
    await client.query('UPDATE ledger.reconciliation_pass SET last_began_ms = $1', [history.endMs]);
    await loadCaps(client, size, history);
    await loadEvents(client, size, history);
    await loadRefusals(client, size, history);
    await loadAudit(client, size, history);
    await loadVouchers(client, size, history);
    await loadStatements(client, history);
  });
}

/** A lot for each deposit, of which some end in years, and many old ones of the first account. */
async function loadLots(client: PoolClient, size: HistorySize, history: History): Promise<void> {
  await client.query(
    `INSERT INTO ledger.lots (account_id, lot_id, payment_id, kind, priority, ends_at_ms, due_at_ms, created_at_ms, amount,
                              remaining, spent)
     SELECT account_id, d.deposit_id, d.deposit_id, 'paid', 50, e.at, e.at, d.created_at_ms, d.amount_nanos,
            d.amount_nanos - b.attributed, b.attributed
     FROM ledger.deposits d JOIN ledger.balances b USING (account_id)
     CROSS JOIN LATERAL (SELECT CASE WHEN d.created_at_ms % 10 = 0 THEN $1::bigint END AS at) e`,
    [history.endMs + 1_000 * DAY_MS],
  );
  await client.query(
    `INSERT INTO ledger.lots (account_id, lot_id, kind, priority, created_at_ms, amount, remaining, taken)
     SELECT ${accountIdSql('0')}, ${idAt('$1::bigint + i', '800000000 + i')}, 'paid', 50, $1 + i, 10, 0, 10
     FROM generate_series(1, $2::bigint) i`,
    [history.startMs, size.others],
  );
}

/** Vouchers that nobody has redeemed. */
async function loadVouchers(client: PoolClient, size: HistorySize, history: History): Promise<void> {
  await client.query(
    `INSERT INTO ledger.vouchers (voucher_id, code_sha256, last_four, amount_nanos, reason, created_by, created_at_ms)
     SELECT ${idAt('$1::bigint + i', '700000000 + i')}, sha256(i::text::bytea), '0000', 10, 'loaded', 'loaded', $1 + i
     FROM generate_series(1, $2::bigint) i`,
    [history.startMs, size.others],
  );
}

/** The statement of each account of the month in which it had its deposit, with a line for it and for each day and model. */
async function loadStatements(client: PoolClient, history: History): Promise<void> {
  const months = [monthStart(history.startMs), monthStart(history.startMs, 1)];
  await client.query(
    `INSERT INTO ledger.statement_lines (account_id, month_ms, line, kind, at_ms, reference, description, model, requests, amount)
     SELECT account_id, $1, row_number() OVER (PARTITION BY account_id ORDER BY model IS NOT NULL, at_ms, model),
            CASE WHEN model IS NULL THEN 'deposit' ELSE 'charges' END::ledger.statement_line_kind, at_ms, reference,
            CASE WHEN model IS NULL THEN 'loaded' END, model, requests, amount
     FROM (
       SELECT account_id, created_at_ms AS at_ms, deposit_id AS reference, NULL AS model, NULL::bigint AS requests,
              amount_nanos AS amount
       FROM ledger.deposits WHERE created_at_ms < $2
       UNION ALL
       SELECT account_id, start_ms, NULL, model, sum(requests)::bigint, -sum(charged_nanos)::bigint
       FROM ledger.usage_daily WHERE start_ms < $2 GROUP BY account_id, start_ms, model
     ) l`,
    months,
  );
  await client.query(
    `INSERT INTO ledger.statements (account_id, month_ms, opening, deposits, refunds, disputes, adjustments, charges, expired,
                                    closing, issued_at_ms)
     SELECT account_id, $1, 0, coalesce(sum(amount) FILTER (WHERE kind = 'deposit'), 0), 0, 0, 0,
            coalesce(sum(amount) FILTER (WHERE kind = 'charges'), 0), 0, sum(amount), $2
     FROM ledger.statement_lines WHERE month_ms = $1 GROUP BY account_id`,
    months,
  );
}

/** A total cap of each account's key and project, caps of the key for some days, and their parts in sessions. */
async function loadCaps(client: PoolClient, size: HistorySize, history: History): Promise<void> {
  await client.query(
    `INSERT INTO ledger.ceilings (account_id, node_id, period, period_start_ms, limit_nanos, revision, spent, leased)
     SELECT account_id, key_id, 'total', 0, 100000000000000, 1, sum(charged_nanos), 10 FROM ledger.usage_daily
     WHERE key_id = '${KEY}' GROUP BY account_id, key_id`,
  );
  await client.query(
    `INSERT INTO ledger.ceilings (account_id, node_id, period, period_start_ms, limit_nanos, revision, spent)
     SELECT account_id, node_id, 'total', 0, 100000000000000, 1, sum(charged_nanos) FROM ledger.node_usage
     WHERE node_id = ${PROJECT_SQL} GROUP BY account_id, node_id`,
  );
  await client.query(
    `INSERT INTO ledger.ceilings (account_id, node_id, period, period_start_ms, limit_nanos, revision, spent)
     SELECT b.account_id, '${KEY}', 'day', $1::bigint - $1::bigint % 86400000, 1000000000000, 1, 0
     FROM ledger.balances b WHERE b.account_id > ${accountIdSql('$2::bigint')}`,
    [history.endMs, Math.floor(size.accounts / 10)],
  );
  // Some of past periods, for which no charge can be late.
  await client.query(
    `INSERT INTO ledger.ceilings (account_id, node_id, period, period_start_ms, limit_nanos, revision, spent)
     SELECT b.account_id, '${KEY}', 'day', $1::bigint - $1::bigint % 86400000, 1000000000000, 1, 0
     FROM ledger.balances b WHERE b.account_id > ${accountIdSql('$2::bigint')} LIMIT 300`,
    [history.startMs, Math.floor(size.accounts / 10)],
  );
  await loadSessions(client, size);
  await client.query(`
    INSERT INTO ledger.ceiling_leases (account_id, node_id, period, period_start_ms, session_id, granted, spent)
    SELECT account_id, '${KEY}', 'total', 0, session_id, spent + CASE WHEN is_last THEN 10 ELSE 0 END, spent
    FROM (
      SELECT account_id, session_id, sum(cost)::bigint AS spent,
             row_number() OVER (PARTITION BY account_id ORDER BY session_id DESC) = 1 AS is_last
      FROM sums WHERE key_id = '${KEY}' GROUP BY 1, 2
    ) l`);
}

/** Sessions of clients of all accounts, most of the largest one, as many as it may have; of some the last request is long ago. */
async function loadSessions(client: PoolClient, size: HistorySize): Promise<void> {
  await client.query(
    `INSERT INTO ledger.ceilings (account_id, node_id, period, period_start_ms, limit_nanos, revision, spent, used_day_ms)
     SELECT ${accountIdSql('CASE WHEN i % 10 = 0 THEN i % $1::bigint ELSE 0 END')}, md5(i::text)::uuid, 'session', 0, 1000, 1, 0,
            $2::bigint - $2::bigint % 86400000 - CASE WHEN i % 50 = 0 THEN 864000000 ELSE 0 END
     FROM generate_series(1, $3::bigint) i`,
    [size.accounts, Date.now(), size.others],
  );
  await client.query(
    `UPDATE ledger.balances b SET client_sessions = c.count
     FROM (SELECT account_id, count(*) FROM ledger.ceilings WHERE period = 'session' GROUP BY 1) c
     WHERE c.account_id = b.account_id`,
  );
  await client.query(`UPDATE ledger.balances SET client_sessions = $1 WHERE account_id = ${accountIdSql('0')}`, [
    MAX_CLIENT_SESSIONS,
  ]);
}

/** Delivered and pending events, and thresholds of accounts. */
async function loadEvents(client: PoolClient, size: HistorySize, history: History): Promise<void> {
  await client.query(
    `INSERT INTO ledger.events (account_id, event_id, type, payload, created_at_ms, state, next_attempt_at, ended_at)
     SELECT ${accountIdSql('i % 100')}, ${idAt('$1::bigint + i', 'i')}, 'balance.low', '{}', $1 + i,
            CASE WHEN i % 100 = 0 THEN 'pending' ELSE 'delivered' END::ledger.event_state,
            CASE WHEN i % 100 = 0 THEN now() + interval '1 day' END, CASE WHEN i % 100 = 0 THEN NULL ELSE now() END
     FROM generate_series(1, $2::bigint) i`,
    [history.startMs, size.others],
  );
  await client.query(
    `INSERT INTO ledger.thresholds (account_id, thresholds)
     SELECT ${accountIdSql('i')}, '{1000}' FROM generate_series(0, $1::bigint - 1) i`,
    [size.accounts],
  );
}

/** As many refusals as are kept of each of some accounts, the oldest longer ago than they are kept, and counts for a year. */
async function loadRefusals(client: PoolClient, size: HistorySize, history: History): Promise<void> {
  await client.query(
    `INSERT INTO ledger.refusals (account_id, request_id, key_id, trace_id, refused_at_ms, http_status, key_name, model,
                                  protocol_in, error_type, reason, message, client_session_id)
     SELECT ${accountIdSql('i % $3::bigint')}, ${idAt('ms', 'i')}, '${KEY}', md5(i::text)::uuid, ms, 429, 'key', 'model-' || i % 2,
            'openai-chat', 'rate_limited', 'rate_limited', 'loaded', 'session-' || i % 1000
     FROM generate_series(1, $2::bigint) i
     CROSS JOIN LATERAL (SELECT $1::bigint - ($2::bigint - i) * (10 * 86400000 / $2::bigint) AS ms) t`,
    [history.endMs, size.others, Math.floor(size.others / MAX_KEPT)],
  );
  await client.query(
    `INSERT INTO ledger.refusal_counts (account_id, day_ms, key_id, reason, requests)
     SELECT ${accountIdSql('i % $3::bigint')}, $1::bigint - $1::bigint % 86400000 - i / $3::bigint % 400 * 86400000,
            ${accountIdSql('i / ($3::bigint * 400)')}, 'rate_limited', 10
     FROM generate_series(0, $2::bigint - 1) i`,
    [history.endMs, size.others, Math.floor(size.others / MAX_KEPT)],
  );
}

/** Mostly deposits, and a reconciliation once an hour. */
async function loadAudit(client: PoolClient, size: HistorySize, history: History): Promise<void> {
  await client.query(
    `INSERT INTO ledger.audit (entry_id, account_id, created_at_ms, actor_id, actor_name, actor_role, actor_via, action,
                               target_id, target_name, details)
     SELECT ${idAt('ms', 'i')}, CASE WHEN NOT of_ledger THEN ${accountIdSql('i % 100')} END, ms, 'person-' || i % 100, 'loaded',
            'operator', 'console', CASE WHEN of_ledger THEN 'ledger.reconcile' ELSE 'deposit.create' END, 'target-' || i % 1000,
            '', '{}'
     FROM generate_series(1, $2::bigint) i
     CROSS JOIN LATERAL (
       SELECT $1::bigint + i * ($3::bigint / $2::bigint) AS ms, i % 1000 = 0 AS of_ledger
     ) t`,
    [history.startMs, size.others, history.endMs - history.startMs],
  );
}
