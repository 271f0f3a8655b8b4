-- Proving the ledger right while it runs, and keeping it small for years. Charges and transfers lie in their tables in
-- the order in which they were posted, so a small index of ranges finds those of a span of time.
CREATE INDEX charges_by_settlement ON ledger.charges USING brin (settled_at_ms) WITH (autosummarize = on);
CREATE INDEX transfers_by_time ON ledger.transfers USING brin (created_at_ms) WITH (autosummarize = on);
CREATE INDEX deposits_by_day ON ledger.deposits USING brin (created_at_ms) WITH (autosummarize = on);

CREATE TABLE ledger.reconciliation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  until_ms bigint NOT NULL DEFAULT 0,
  slice_ms bigint NOT NULL DEFAULT 3600000 CHECK (slice_ms > 0),
  patrol_after uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  full_after uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  claimed_at timestamptz,
  archived_until_ms bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE ledger.reconciliation IS
  'One row. until_ms: every entry up to this time is summed in reconciled and reconciled_leases. slice_ms: how much time '
  'the next step takes in. patrol_after, full_after: the account after which the walk over all accounts goes on. '
  'claimed_at: when a replica last took the scheduled check upon itself. archived_until_ms: charges and transfers of '
  'months before this are in carried_forward and carried_leases only.';
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
  'What the entries of an account sum to, by side, up to reconciliation.until_ms. touched_ms: until_ms when it last '
  'changed. verified_ms: until_ms when it was last found to agree with the balance.';
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
  'What transfers granted and returned and what was charged under a lease, up to reconciliation.until_ms.';
CREATE INDEX reconciled_leases_by_session ON ledger.reconciled_leases (session_id, account_id);

CREATE TABLE ledger.reconciled_hours (
  account_id uuid NOT NULL,
  start_ms bigint NOT NULL,
  PRIMARY KEY (account_id, start_ms)
);
COMMENT ON TABLE ledger.reconciled_hours IS
  'Hours whose charges changed since their roll-up was last compared with them; a row goes once they agree.';
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
  'What reconciliation found wrong and has not found right since. place: the table and the key of the row at fault. '
  'expected: what the entries say. found: what is there. checked_by: slice, account, hour or full.';

CREATE TABLE ledger.carried_forward (
  account_id uuid NOT NULL,
  side ledger.side NOT NULL,
  amount bigint NOT NULL,
  until_ms bigint NOT NULL,
  PRIMARY KEY (account_id, side)
);
COMMENT ON TABLE ledger.carried_forward IS
  'What the entries of archived months sum to, by account and side. until_ms: end of the last archived month that added '
  'to it.';

CREATE TABLE ledger.carried_leases (
  account_id uuid NOT NULL,
  session_id uuid NOT NULL,
  granted bigint NOT NULL DEFAULT 0,
  spent bigint NOT NULL DEFAULT 0,
  returned bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, session_id)
);
COMMENT ON TABLE ledger.carried_leases IS 'The part of archived months in the leases that were still kept then.';
CREATE INDEX carried_leases_by_session ON ledger.carried_leases (session_id);

ALTER TABLE ledger.sessions
  ADD COLUMN leases_removed boolean NOT NULL DEFAULT false,
  ADD COLUMN leases_gone boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN ledger.sessions.leases_removed IS
  'Whether the leases of the session are removed, long after it closed: its charges then stand without a lease.';
COMMENT ON COLUMN ledger.sessions.leases_gone IS 'Whether all that are to be removed are.';
CREATE INDEX sessions_with_leases ON ledger.sessions (ended_at) WHERE state = 'closed' AND NOT leases_gone;

CREATE OR REPLACE VIEW ledger.entries AS
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
  'Every entry of the double entry; those of archived months as one sum an account and side. The amounts of an account '
  'sum to zero, and those of one side to its column in ledger.balances.';

-- Charges and transfers of archived months, until an operator has kept them elsewhere and drops them.
CREATE SCHEMA IF NOT EXISTS ledger_archive;
