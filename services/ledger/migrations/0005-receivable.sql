-- Money that an account owes, thresholds of balances, and events about both with their delivery.
ALTER TYPE ledger.deposit_kind ADD VALUE 'dispute';
ALTER TYPE ledger.transfer_reason ADD VALUE 'dispute';
ALTER TYPE ledger.transfer_reason ADD VALUE 'debt_paid';

ALTER TABLE ledger.balances
  ADD CONSTRAINT receivable_is_owed CHECK (receivable <= 0);
COMMENT ON COLUMN ledger.balances.receivable IS
  'Minus what the customer owes: money that was taken back when it was spent already. Below 0 the account is suspended: '
  'nothing is leased to anybody.';
CREATE INDEX balances_owing ON ledger.balances (account_id) WHERE receivable < 0;

ALTER TABLE ledger.deposits
  ADD COLUMN owed_nanos bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT deposits_owed CHECK (
    CASE WHEN amount_nanos > 0 THEN owed_nanos BETWEEN -amount_nanos AND 0 ELSE owed_nanos BETWEEN 0 AND -amount_nanos END
  ),
  ADD CONSTRAINT disputes_take CHECK (kind::text <> 'dispute' OR amount_nanos < 0);
COMMENT ON TABLE ledger.deposits IS
  'Deposits, adjustments, refunds and disputes. owed_nanos: by how much it changed what the account owes, positive for '
  'what could not be taken and negative for what it paid off; amount_nanos + owed_nanos is what it moved to or from the '
  'available balance. input_hash: SHA-256 of the input, so that a key used again with another input is noticed.';
COMMENT ON TABLE ledger.transfers IS
  'Every movement but charges (those are entries by themselves). reference: the deposit, or the lease session; of a '
  'debt_paid, the deposit that left the debt. Partitioned by month of the time inside transfer_id, a UUIDv7.';

CREATE TABLE ledger.thresholds (
  account_id uuid PRIMARY KEY,
  thresholds bigint[] NOT NULL CHECK (cardinality(thresholds) <= 10)
);
COMMENT ON TABLE ledger.thresholds IS
  'Balances whose crossing downwards is an event, of accounts that have their own. Changed under the lock of the '
  'account''s balance.';

CREATE TABLE ledger.default_thresholds (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  thresholds bigint[] NOT NULL DEFAULT '{}' CHECK (cardinality(thresholds) <= 10),
  arm_after uuid
);
COMMENT ON TABLE ledger.default_thresholds IS
  'One row: the thresholds of all other accounts, as the service was last started with. arm_after: since they changed, '
  'notify_below of accounts up to this one was set anew; null when all are.';
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
  'What subscribers of the webhook are told, written in the transaction that made it happen. event_id: a UUIDv7, sent as '
  'webhook-id. payload: sent as data. next_attempt_at: when a pending one is sent (again); whoever sends it moves this '
  'ahead first, so that no other replica does at the same time. ended_at: when it was delivered, given up, or left unsent '
  'for want of an address; it is removed some time after.';
CREATE INDEX events_pending ON ledger.events (next_attempt_at) WHERE state = 'pending';
CREATE INDEX events_ended ON ledger.events (ended_at) WHERE state <> 'pending';
