-- The ledger: balances, credit leases, charges and deposits. All money is nano-dollars (1 USD = 1,000,000,000) in
-- bigint; columns ending in _ms are Unix milliseconds. Every key of a customer's table begins with account_id, so the
-- schema can be spread by account.

-- A ledger account of the double entry. Each customer account has its own seven, whose sum is always zero.
CREATE TYPE ledger.side AS ENUM
  ('available', 'leased', 'revenue', 'deposits', 'adjustments', 'receivable', 'operator_loss');

CREATE TYPE ledger.deposit_kind AS ENUM ('deposit', 'adjustment', 'refund', 'dispute');

CREATE TYPE ledger.transfer_reason AS ENUM
  ('deposit', 'adjustment', 'refund', 'lease_grant', 'lease_return', 'lease_freed', 'dispute', 'debt_paid');

CREATE TYPE ledger.charge_status AS ENUM ('completed', 'cancelled', 'failed');

CREATE TYPE ledger.session_state AS ENUM ('open', 'closing', 'closed');

CREATE TABLE ledger.meta (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  database_id uuid NOT NULL DEFAULT gen_random_uuid(),
  epoch bigint NOT NULL DEFAULT 1 CHECK (epoch >= 1),
  epoch_since_ms bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE ledger.meta IS
  'One row. database_id identifies this database. epoch is raised after a restore from backup and fences older sessions. '
  'epoch_since_ms: when it was raised; sessions unknown to the database are older if the time in their id is.';
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
  notify_below bigint,
  CONSTRAINT balances_sum_to_zero CHECK (
    available + leased + revenue + deposits + adjustments + receivable + operator_loss = 0
  ),
  CONSTRAINT receivable_is_owed CHECK (receivable <= 0)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.balances IS
  'One row per customer account, created by its first deposit; a column per ledger account, credits positive '
  'and debits negative. available: prepaid and on no lease. leased: on leases of ingress sessions. revenue: what was '
  'charged. deposits: minus the money paid in (net of refunds). adjustments: minus what operators credited. receivable: '
  'minus what the customer owes. operator_loss: minus the part of charges that the operator bears. The row is locked '
  'before anything of the account changes, several in order of account_id.';
COMMENT ON COLUMN ledger.balances.receivable IS
  'Minus what the customer owes: money that was taken back after it was spent. Below 0 the account is suspended: it gets '
  'no leases.';
COMMENT ON COLUMN ledger.balances.notify_below IS
  'The next low-balance threshold, nano-dollars; null: none. A settlement that leaves available + leased at or below it '
  'records the event and sets the next threshold in its own transaction.';
CREATE INDEX balances_owing ON ledger.balances (account_id) WHERE receivable < 0;

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
  'Every movement except charges (which are entries themselves). reference: the deposit, or the lease session; of a '
  'debt_paid, the deposit that caused the debt. Partitioned by month of the time inside transfer_id, a UUIDv7.';
CREATE INDEX transfers_by_time ON ledger.transfers USING brin (created_at_ms) WITH (autosummarize = on);

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
  discount_ppm int NOT NULL DEFAULT 0 CHECK (discount_ppm BETWEEN 0 AND 1000000),
  tags jsonb,
  reported_usage text,
  PRIMARY KEY (account_id, request_id)
) PARTITION BY RANGE (request_id);
COMMENT ON TABLE ledger.charges IS
  'One row per finished request. charged_nanos: what the customer paid, out of the lease of session_id; the rest of '
  'cost_nanos is the operator''s loss. lines: array of [bucket, quantity, nanos per million, amount nanos], numbers as '
  'text. first_token_ms: -1 when there was none. content_hash: distinguishes a repeated record from another one under the '
  'same id. Partitioned by month of the time inside request_id, a UUIDv7.';
COMMENT ON COLUMN ledger.charges.discount_ppm IS
  'Taken off list prices, parts per million: a line is quantity * rate * (1,000,000 - discount_ppm) / 10^12.';
COMMENT ON COLUMN ledger.charges.tags IS 'The tags of the key, an object of texts; null: none.';
COMMENT ON COLUMN ledger.charges.reported_usage IS
  'The rejected usage report of the provider, as its JSON text; null: it was accepted, or there was none.';
CREATE INDEX charges_by_trace ON ledger.charges (account_id, trace_id);
CREATE INDEX charges_by_settlement ON ledger.charges USING brin (settled_at_ms) WITH (autosummarize = on);

CREATE TABLE ledger.deposits (
  account_id uuid NOT NULL,
  deposit_id uuid NOT NULL,
  kind ledger.deposit_kind NOT NULL,
  amount_nanos bigint NOT NULL CHECK (amount_nanos <> 0),
  reason text NOT NULL,
  idempotency_key text NOT NULL,
  input_hash bytea NOT NULL,
  created_at_ms bigint NOT NULL,
  owed_nanos bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, deposit_id),
  UNIQUE (account_id, idempotency_key),
  CHECK (kind <> 'deposit' OR amount_nanos > 0),
  CONSTRAINT deposits_owed CHECK (
    CASE WHEN amount_nanos > 0 THEN owed_nanos BETWEEN -amount_nanos AND 0 ELSE owed_nanos BETWEEN 0 AND -amount_nanos END
  ),
  CONSTRAINT disputes_take CHECK (kind::text <> 'dispute' OR amount_nanos < 0)
);
COMMENT ON TABLE ledger.deposits IS
  'Deposits, adjustments, refunds and disputes. owed_nanos: the change of the debt, positive for what exceeded '
  'the available balance and negative for what was paid off; amount_nanos + owed_nanos is the change of the available '
  'balance. input_hash: SHA-256 of the input, which detects a key used again with different input.';
CREATE INDEX deposits_by_time ON ledger.deposits (account_id, created_at_ms, deposit_id);
CREATE INDEX deposits_by_day ON ledger.deposits USING brin (created_at_ms) WITH (autosummarize = on);

CREATE TABLE ledger.sessions (
  session_id uuid PRIMARY KEY,
  ingress_name text NOT NULL,
  epoch bigint NOT NULL,
  state ledger.session_state NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  heartbeat_sequence bigint NOT NULL DEFAULT 0,
  ended_at timestamptz,
  ended_by text,
  leases_removed boolean NOT NULL DEFAULT false,
  leases_gone boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.sessions IS
  'One row per ingress process, kept forever so that an ended session cannot come back. last_heartbeat_at: by the '
  'clock of this database. closing: fenced, its leases are being freed. ended_by: close or expiry.';
COMMENT ON COLUMN ledger.sessions.leases_removed IS
  'Whether removal of the leases has begun, long after the session closed: its charges then have no lease.';
COMMENT ON COLUMN ledger.sessions.leases_gone IS 'Whether all leases are removed.';
CREATE INDEX sessions_unfinished ON ledger.sessions (state, last_heartbeat_at) WHERE state <> 'closed';
CREATE INDEX sessions_with_leases ON ledger.sessions (ended_at) WHERE state = 'closed' AND NOT leases_gone;

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
  'Credit of an account given to an ingress session, cumulative over the session; granted - spent - returned is its '
  'remaining credit. acquire_sequence: the last granted acquire.';
CREATE INDEX leases_by_session ON ledger.leases (session_id, account_id);

CREATE TABLE ledger.held (
  account_id uuid NOT NULL,
  session_id uuid NOT NULL,
  held_nanos bigint NOT NULL CHECK (held_nanos >= 0),
  PRIMARY KEY (account_id, session_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.held IS
  'What open requests of a session hold on its lease, by its last heartbeats. For display, not for decisions.';
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
  request bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, start_ms, key_id, model)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.usage_hourly IS
  'Sums of charges by the hour (UTC) their request started in, kept in the transaction that posts them. The columns '
  'from input on are quantities of the usage bucket of that name.';

CREATE TABLE ledger.usage_daily (LIKE ledger.usage_hourly INCLUDING DEFAULTS INCLUDING INDEXES) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.usage_daily IS 'As usage_hourly, by day (UTC).';
CREATE INDEX usage_daily_by_key ON ledger.usage_daily (account_id, key_id, start_ms);

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
  'Settlement records that could not be posted, kept for an operator. Ids are text, because they may be malformed. '
  'charge: the record as received, a tollgate.ledger.v1.Charge.';
CREATE INDEX quarantine_by_time ON ledger.quarantine (last_seen_at);

CREATE TABLE ledger.sweeper (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  last_tick_at timestamptz,
  quiet_until timestamptz
);
COMMENT ON TABLE ledger.sweeper IS
  'One row: the clock by which dead sessions expire. After a long time without a tick, heartbeats may not have been '
  'recorded either; nothing expires before quiet_until then.';
INSERT INTO ledger.sweeper DEFAULT VALUES;

-- Spending caps of keys: how much of each is spent and leased to ingress sessions, by period.

CREATE TYPE ledger.cap_period AS ENUM ('day', 'month', 'total');

CREATE TABLE ledger.caps (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  period ledger.cap_period NOT NULL,
  period_start_ms bigint NOT NULL,
  limit_nanos bigint NOT NULL CHECK (limit_nanos >= 0),
  key_revision bigint NOT NULL,
  spent bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
  leased bigint NOT NULL DEFAULT 0 CHECK (leased >= 0),
  PRIMARY KEY (account_id, key_id, period, period_start_ms)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.caps IS
  'One row per cap of a key and period (UTC; start 0 for total), created when an ingress first asks for a part of it '
  'and removed once its period can get no further charge. spent: all that was charged to requests of the key that started '
  'in the period. leased: the rest of the parts that sessions lease. Parts are leased only while spent + leased stays '
  'within limit_nanos. limit_nanos: as the latest key_revision has it. Changed under the lock of the account''s balance.';
CREATE INDEX caps_by_age ON ledger.caps (period, period_start_ms) WHERE period <> 'total';

CREATE TABLE ledger.cap_leases (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  period ledger.cap_period NOT NULL,
  period_start_ms bigint NOT NULL,
  session_id uuid NOT NULL,
  granted bigint NOT NULL DEFAULT 0,
  spent bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
  returned bigint NOT NULL DEFAULT 0 CHECK (returned >= 0),
  acquire_sequence bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, key_id, period, period_start_ms, session_id),
  CONSTRAINT cap_leases_cover CHECK (granted >= spent + returned)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.cap_leases IS
  'A session''s part of a cap, cumulative over the session as in ledger.leases. Removed when the session ends.';
CREATE INDEX cap_leases_by_session ON ledger.cap_leases (session_id, account_id);

-- Low-balance thresholds, and events with their delivery.

CREATE TABLE ledger.thresholds (
  account_id uuid PRIMARY KEY,
  thresholds bigint[] NOT NULL CHECK (cardinality(thresholds) <= 10)
);
COMMENT ON TABLE ledger.thresholds IS
  'Low-balance thresholds of accounts that have their own. Changed under the lock of the account''s balance.';

CREATE TABLE ledger.default_thresholds (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  thresholds bigint[] NOT NULL DEFAULT '{}' CHECK (cardinality(thresholds) <= 10),
  rearm_after uuid
);
COMMENT ON TABLE ledger.default_thresholds IS
  'One row: the thresholds of all other accounts, as configured at the last start. rearm_after: since they changed, '
  'notify_below is updated for accounts up to this one; null when it is for all.';
INSERT INTO ledger.default_thresholds DEFAULT VALUES;

CREATE TYPE ledger.event_type AS ENUM ('balance.low', 'account.suspended', 'account.unsuspended');

CREATE TYPE ledger.event_state AS ENUM ('pending', 'delivered', 'given_up', 'unsent');

CREATE TABLE ledger.events (
  account_id uuid NOT NULL,
  event_id uuid NOT NULL,
  type ledger.event_type NOT NULL,
  payload jsonb NOT NULL,
  created_at_ms bigint NOT NULL,
  state ledger.event_state NOT NULL DEFAULT 'pending',
  attempts int NOT NULL DEFAULT 0,
  next_attempt_at timestamptz DEFAULT clock_timestamp(),
  ended_at timestamptz,
  last_error text,
  PRIMARY KEY (account_id, event_id),
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL) AND (state = 'pending') = (ended_at IS NULL))
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.events IS
  'Outbox of the webhook, written in the transaction that caused the event. event_id: a UUIDv7, sent as webhook-id. '
  'payload: sent as data. next_attempt_at: when a pending event is sent (again); a replica postpones it before it sends, '
  'so that no other replica sends it too. ended_at: when it was delivered, given up, or left unsent without a webhook; it '
  'is removed some time later.';
CREATE INDEX events_pending ON ledger.events (next_attempt_at) WHERE state = 'pending';
CREATE INDEX events_ended ON ledger.events (ended_at) WHERE state <> 'pending';

-- Reconciliation and the archive of old months.

CREATE TABLE ledger.reconciliation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  until_ms bigint NOT NULL DEFAULT 0,
  slice_ms bigint NOT NULL DEFAULT 3600000 CHECK (slice_ms > 0),
  background_after uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  full_after uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  claimed_at timestamptz,
  archived_until_ms bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE ledger.reconciliation IS
  'One row. until_ms: all entries up to this time are summed in reconciled and reconciled_leases. slice_ms: time span of '
  'the next step. background_after, full_after: the account after which the scan over all accounts continues. claimed_at: '
  'when a replica last claimed the scheduled reconciliation. archived_until_ms: charges and transfers of months before '
  'this are only in carried_forward and carried_leases.';
INSERT INTO ledger.reconciliation DEFAULT VALUES;

CREATE TABLE ledger.reconciled (
  account_id uuid PRIMARY KEY,
  available bigint NOT NULL DEFAULT 0,
  leased bigint NOT NULL DEFAULT 0,
  revenue bigint NOT NULL DEFAULT 0,
  deposits bigint NOT NULL DEFAULT 0,
  adjustments bigint NOT NULL DEFAULT 0,
  receivable bigint NOT NULL DEFAULT 0,
  operator_loss bigint NOT NULL DEFAULT 0,
  touched_ms bigint NOT NULL,
  verified_ms bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.reconciled IS
  'The sums of an account''s entries by ledger account, up to reconciliation.until_ms. touched_ms: until_ms when it last '
  'changed. verified_ms: until_ms when it last matched the balance.';
CREATE INDEX reconciled_unverified ON ledger.reconciled (account_id) WHERE touched_ms > verified_ms;

CREATE TABLE ledger.reconciled_leases (
  account_id uuid NOT NULL,
  session_id uuid NOT NULL,
  granted bigint NOT NULL DEFAULT 0,
  spent bigint NOT NULL DEFAULT 0,
  returned bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, session_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.reconciled_leases IS
  'The sums of transfers and charges by lease, up to reconciliation.until_ms.';
CREATE INDEX reconciled_leases_by_session ON ledger.reconciled_leases (session_id, account_id);

CREATE TABLE ledger.reconciled_hours (
  account_id uuid NOT NULL,
  start_ms bigint NOT NULL,
  PRIMARY KEY (account_id, start_ms)
);
COMMENT ON TABLE ledger.reconciled_hours IS
  'Hours with charges since their roll-up was last compared with them; a row is removed once they match.';
CREATE INDEX reconciled_hours_by_start ON ledger.reconciled_hours (start_ms, account_id);

CREATE TABLE ledger.findings (
  account_id uuid NOT NULL,
  invariant text NOT NULL,
  place jsonb NOT NULL,
  expected jsonb,
  found jsonb,
  checked_by text NOT NULL,
  first_found_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_found_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, invariant, place)
);
COMMENT ON TABLE ledger.findings IS
  'Open findings of reconciliation. place: the table and key of the inconsistent row. expected: the value by the entries. '
  'found: the stored value. checked_by: slice, account, hour or full.';

CREATE TABLE ledger.carried_forward (
  account_id uuid NOT NULL,
  side ledger.side NOT NULL,
  amount bigint NOT NULL,
  until_ms bigint NOT NULL,
  PRIMARY KEY (account_id, side)
);
COMMENT ON TABLE ledger.carried_forward IS
  'The sums of the entries of archived months, by account and ledger account. until_ms: end of the last archived month '
  'included.';

CREATE TABLE ledger.carried_leases (
  account_id uuid NOT NULL,
  session_id uuid NOT NULL,
  granted bigint NOT NULL DEFAULT 0,
  spent bigint NOT NULL DEFAULT 0,
  returned bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, session_id)
);
COMMENT ON TABLE ledger.carried_leases IS 'The sums of archived months by lease, for leases that existed then.';
CREATE INDEX carried_leases_by_session ON ledger.carried_leases (session_id);

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
  SELECT account_id, 'revenue', cost_nanos, request_id, settled_at_ms FROM ledger.charges WHERE cost_nanos > 0
  UNION ALL
  SELECT account_id, side, amount, '00000000-0000-0000-0000-000000000000', until_ms FROM ledger.carried_forward;
COMMENT ON VIEW ledger.entries IS
  'All entries of the double entry; those of archived months as one sum per account and ledger account. The amounts of an '
  'account sum to zero, and those of a ledger account to its column in ledger.balances.';

-- Charges and transfers of archived months, until an operator has dumped and drops them.
CREATE SCHEMA IF NOT EXISTS ledger_archive;
