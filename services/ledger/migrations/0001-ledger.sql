-- The ledger: balances, credit leases, charges and deposits. All money is nano-dollars (1 USD = 1,000,000,000) in
-- bigint; columns ending in _ms are Unix milliseconds. Every key of a customer's table begins with account_id, so the
-- schema can be spread by account.

-- One side of the double entry. Each customer account has its own; the sum over its sides is always zero.
CREATE TYPE ledger.side AS ENUM
  ('available', 'leased', 'revenue', 'deposits', 'adjustments', 'receivable', 'operator_loss');

CREATE TYPE ledger.deposit_kind AS ENUM ('deposit', 'adjustment', 'refund');

CREATE TYPE ledger.transfer_reason AS ENUM
  ('deposit', 'adjustment', 'refund', 'lease_grant', 'lease_return', 'lease_freed');

CREATE TYPE ledger.charge_status AS ENUM ('completed', 'cancelled', 'failed');

CREATE TYPE ledger.session_state AS ENUM ('open', 'closing', 'closed');

CREATE TABLE ledger.meta (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  database_id uuid NOT NULL DEFAULT gen_random_uuid(),
  epoch bigint NOT NULL DEFAULT 1 CHECK (epoch >= 1)
);
COMMENT ON TABLE ledger.meta IS
  'One row. database_id names this database; epoch is raised after a restore from backup and fences older sessions.';
INSERT INTO ledger.meta DEFAULT VALUES;

CREATE TABLE ledger.balances (
  account_id uuid PRIMARY KEY,
  available bigint NOT NULL DEFAULT 0 CHECK (available >= 0),
  leased bigint NOT NULL DEFAULT 0 CHECK (leased >= 0),
  revenue bigint NOT NULL DEFAULT 0,
  deposits bigint NOT NULL DEFAULT 0,
  adjustments bigint NOT NULL DEFAULT 0,
  receivable bigint NOT NULL DEFAULT 0,
  operator_loss bigint NOT NULL DEFAULT 0,
  CONSTRAINT balances_sum_to_zero CHECK (
    available + leased + revenue + deposits + adjustments + receivable + operator_loss = 0
  )
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.balances IS
  'One row per customer account, made by its first deposit; one column per side of the double entry, credits positive '
  'and debits negative. available: prepaid and on no lease. leased: on leases of ingress sessions. revenue: what was '
  'charged. deposits: minus the money paid in (net of refunds). adjustments: minus what operators credited. receivable: '
  'minus what the customer owes. operator_loss: minus the part of charges the operator bears. The row is locked '
  'before anything of the account is changed, in order of account_id where several are.';

CREATE TABLE ledger.transfers (
  account_id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  debit ledger.side NOT NULL,
  credit ledger.side NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  reason ledger.transfer_reason NOT NULL,
  reference uuid NOT NULL,
  created_at_ms bigint NOT NULL,
  PRIMARY KEY (account_id, transfer_id),
  CHECK (debit <> credit)
) PARTITION BY RANGE (transfer_id);
COMMENT ON TABLE ledger.transfers IS
  'Every movement but charges (those are entries by themselves). reference: the deposit, or the lease session. '
  'Partitioned by month of the time inside transfer_id, a UUIDv7.';

CREATE TABLE ledger.charges (
  account_id uuid NOT NULL,
  request_id uuid NOT NULL,
  session_id uuid NOT NULL,
  key_id uuid NOT NULL,
  trace_id uuid NOT NULL,
  started_at_ms bigint NOT NULL,
  settled_at_ms bigint NOT NULL,
  hold_nanos bigint NOT NULL CHECK (hold_nanos >= 0),
  cost_nanos bigint NOT NULL CHECK (cost_nanos >= 0),
  charged_nanos bigint NOT NULL CHECK (charged_nanos >= 0 AND charged_nanos <= least(cost_nanos, hold_nanos)),
  first_token_ms int NOT NULL,
  duration_ms int NOT NULL,
  retries int NOT NULL,
  status ledger.charge_status NOT NULL,
  streamed boolean NOT NULL,
  usage_estimated boolean NOT NULL,
  key_name text NOT NULL,
  model text NOT NULL,
  provider text NOT NULL,
  deployment text NOT NULL,
  protocol_in text NOT NULL,
  protocol_out text NOT NULL,
  finish_reason text NOT NULL,
  price_version text NOT NULL,
  lines jsonb NOT NULL,
  content_hash bytea NOT NULL,
  PRIMARY KEY (account_id, request_id)
) PARTITION BY RANGE (request_id);
COMMENT ON TABLE ledger.charges IS
  'One row per finished request. charged_nanos: what the customer paid, out of the lease of session_id; the rest of '
  'cost_nanos is the operator''s loss. lines: array of [bucket, quantity, nanos per million, amount nanos], numbers as '
  'text. first_token_ms: -1 when there was none. content_hash: tells a repeated record from another one under the same '
  'id. Partitioned by month of the time inside request_id, a UUIDv7.';
CREATE INDEX charges_by_time ON ledger.charges (account_id, started_at_ms, request_id);
CREATE INDEX charges_by_trace ON ledger.charges (account_id, trace_id);

CREATE TABLE ledger.deposits (
  account_id uuid NOT NULL,
  deposit_id uuid NOT NULL,
  kind ledger.deposit_kind NOT NULL,
  amount_nanos bigint NOT NULL CHECK (amount_nanos <> 0),
  reason text NOT NULL,
  idempotency_key text NOT NULL,
  input_hash bytea NOT NULL,
  created_at_ms bigint NOT NULL,
  PRIMARY KEY (account_id, deposit_id),
  UNIQUE (account_id, idempotency_key),
  CHECK (kind <> 'deposit' OR amount_nanos > 0)
);
COMMENT ON TABLE ledger.deposits IS
  'Deposits, adjustments and refunds. input_hash: SHA-256 of the input, so that a key used again with another input is '
  'noticed.';
CREATE INDEX deposits_by_time ON ledger.deposits (account_id, created_at_ms, deposit_id);

CREATE TABLE ledger.sessions (
  session_id uuid PRIMARY KEY,
  ingress_name text NOT NULL,
  epoch bigint NOT NULL,
  state ledger.session_state NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  heartbeat_sequence bigint NOT NULL DEFAULT 0,
  ended_at timestamptz,
  ended_by text
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.sessions IS
  'One row per ingress process, kept for good so that a session that ended cannot come back. last_heartbeat_at: by the '
  'clock of this database. closing: fenced, its leases are being freed. ended_by: close or expiry.';
CREATE INDEX sessions_unfinished ON ledger.sessions (state, last_heartbeat_at) WHERE state <> 'closed';

CREATE TABLE ledger.leases (
  account_id uuid NOT NULL,
  session_id uuid NOT NULL,
  granted bigint NOT NULL DEFAULT 0,
  spent bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
  returned bigint NOT NULL DEFAULT 0 CHECK (returned >= 0),
  acquire_sequence bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, session_id),
  CONSTRAINT leases_cover CHECK (granted >= spent + returned)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.leases IS
  'Credit of an account given to an ingress session, cumulative over the session; granted - spent - returned is what it '
  'still covers. acquire_sequence: the acquire that was granted last.';
CREATE INDEX leases_by_session ON ledger.leases (session_id, account_id);

CREATE TABLE ledger.held (
  account_id uuid NOT NULL,
  session_id uuid NOT NULL,
  held_nanos bigint NOT NULL CHECK (held_nanos >= 0),
  PRIMARY KEY (account_id, session_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.held IS
  'What open requests of a session hold on its lease, as its last heartbeats said. For display, not for decisions.';
CREATE INDEX held_by_session ON ledger.held (session_id, account_id);

CREATE TABLE ledger.usage_hourly (
  account_id uuid NOT NULL,
  start_ms bigint NOT NULL,
  key_id uuid NOT NULL,
  model text NOT NULL,
  requests bigint NOT NULL,
  charged_nanos bigint NOT NULL,
  cost_nanos bigint NOT NULL,
  input bigint NOT NULL,
  cache_read bigint NOT NULL,
  cache_write_5m bigint NOT NULL,
  cache_write_1h bigint NOT NULL,
  output bigint NOT NULL,
  reasoning bigint NOT NULL,
  image bigint NOT NULL,
  search bigint NOT NULL,
  PRIMARY KEY (account_id, start_ms, key_id, model)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.usage_hourly IS
  'Sums of charges by the hour (UTC) their request started in, kept in the transaction that posts them. The columns '
  'from input on are quantities of the usage bucket of that name.';

CREATE TABLE ledger.usage_daily (LIKE ledger.usage_hourly INCLUDING INDEXES) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.usage_daily IS 'As usage_hourly, by day (UTC).';

CREATE TABLE ledger.quarantine (
  account_id text NOT NULL,
  request_id text NOT NULL,
  content_hash bytea NOT NULL,
  reason text NOT NULL,
  charge bytea NOT NULL,
  times_seen bigint NOT NULL DEFAULT 1,
  first_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, request_id, content_hash)
);
COMMENT ON TABLE ledger.quarantine IS
  'Settlement records that could not be posted, kept for an operator. Ids are text, as they may be malformed. charge: the '
  'record as it came, a tollgate.ledger.v1.Charge.';
CREATE INDEX quarantine_by_time ON ledger.quarantine (last_seen_at);

CREATE TABLE ledger.sweeper (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  last_tick_at timestamptz,
  quiet_until timestamptz
);
COMMENT ON TABLE ledger.sweeper IS
  'One row: the clock by which dead sessions expire. A long time without a tick means that heartbeats could not be '
  'recorded either; nothing expires before quiet_until then.';
INSERT INTO ledger.sweeper DEFAULT VALUES;

CREATE VIEW ledger.entries AS
  SELECT account_id, debit AS side, -amount AS amount, transfer_id AS reference, created_at_ms FROM ledger.transfers
  UNION ALL
  SELECT account_id, credit, amount, transfer_id, created_at_ms FROM ledger.transfers
  UNION ALL
  SELECT account_id, 'leased', -charged_nanos, request_id, settled_at_ms FROM ledger.charges WHERE charged_nanos > 0
  UNION ALL
  SELECT account_id, 'operator_loss', charged_nanos - cost_nanos, request_id, settled_at_ms
    FROM ledger.charges WHERE cost_nanos > charged_nanos
  UNION ALL
  SELECT account_id, 'revenue', cost_nanos, request_id, settled_at_ms FROM ledger.charges WHERE cost_nanos > 0;
COMMENT ON VIEW ledger.entries IS
  'Every entry of the double entry. The amounts of an account sum to zero, and those of one side to its column in '
  'ledger.balances.';
