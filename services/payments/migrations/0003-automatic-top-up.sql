-- Automatic top-up: a saved card is charged when a balance falls to its threshold.

CREATE TABLE payments.top_ups (
  account_id uuid PRIMARY KEY,
  threshold_nanos bigint NOT NULL CHECK (threshold_nanos >= 0),
  target_nanos bigint NOT NULL CHECK (target_nanos > threshold_nanos),
  monthly_max_nanos bigint NOT NULL CHECK (monthly_max_nanos > 0),
  method_id text NOT NULL,
  method text NOT NULL,
  revision bigint NOT NULL DEFAULT 1,
  declines int NOT NULL DEFAULT 0,
  pause_reason text CHECK (pause_reason IN
    ('confirmation', 'declined', 'retry', 'card_removed', 'monthly_max', 'daily_limit', 'dispute', 'refused')),
  paused_until_ms bigint,
  paused_crossing bigint,
  failure text
);
COMMENT ON TABLE payments.top_ups IS 'Accounts that switched it on. No row: it is off.';
COMMENT ON COLUMN payments.top_ups.method IS 'The card as people know it, such as visa 4242.';
COMMENT ON COLUMN payments.top_ups.revision IS 'Grows with each change, so that nothing is decided from an older row.';
COMMENT ON COLUMN payments.top_ups.declines IS 'Declined charges in a row.';
COMMENT ON COLUMN payments.top_ups.paused_until_ms IS 'When a pause ends by itself; null: when somebody ends it.';
COMMENT ON COLUMN payments.top_ups.paused_crossing IS 'The crossing that its cardholder has to confirm.';
COMMENT ON COLUMN payments.top_ups.failure IS 'Why the card was declined.';
CREATE INDEX top_ups_to_confirm ON payments.top_ups (account_id) WHERE pause_reason = 'confirmation';

CREATE TABLE payments.crossings (
  account_id uuid NOT NULL,
  number bigint NOT NULL CHECK (number > 0),
  payment_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'ended')),
  outcome text CHECK (outcome IN ('settled', 'declined', 'confirmation', 'refused', 'unanswered', 'dropped', 'superseded')),
  balance_nanos bigint NOT NULL,
  amount_nanos bigint NOT NULL CHECK (amount_nanos > 0),
  customer_id text NOT NULL,
  method_id text NOT NULL,
  crossed_at_ms bigint NOT NULL,
  asked_first_ms bigint,
  asked_last_ms bigint,
  ended_at_ms bigint,
  tries int NOT NULL DEFAULT 0,
  next_try_ms bigint,
  PRIMARY KEY (account_id, number),
  CHECK ((state = 'open') = (outcome IS NULL))
);
COMMENT ON TABLE payments.crossings IS
  'Falls of a balance to its threshold, each with at most one charge: the number is in the idempotency key of the provider, and '
  'what is charged was decided before it was asked.';
COMMENT ON COLUMN payments.crossings.balance_nanos IS 'The balance that was found.';
COMMENT ON COLUMN payments.crossings.asked_first_ms IS 'When the provider may first have been asked; null: it was not.';
CREATE UNIQUE INDEX crossings_one_open ON payments.crossings (account_id) WHERE state = 'open';
CREATE INDEX crossings_to_try ON payments.crossings (next_try_ms) WHERE state = 'open';
CREATE INDEX crossings_open_by_age ON payments.crossings (crossed_at_ms) WHERE state = 'open';

ALTER TABLE payments.payments ADD COLUMN crossing bigint;
COMMENT ON COLUMN payments.payments.crossing IS
  'The number of the crossing that it pays, or whose charge it confirms; null: a person began it.';
COMMENT ON COLUMN payments.payments.idempotency_key IS
  'The caller''s; null: it is automatic, or the row was lost and made again from what the payment provider knows.';
CREATE INDEX payments_automatic ON payments.payments (account_id, created_at_ms) WHERE crossing IS NOT NULL;

CREATE TABLE payments.events (
  event_id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  created_at_ms bigint NOT NULL UNIQUE
);
COMMENT ON TABLE payments.events IS
  'What people of an account are told. Append-only, and written one after the other, so that a reader who continues after the '
  'last one misses none. event_id: a UUIDv7 of created_at_ms.';
CREATE INDEX events_by_account ON payments.events (account_id, event_id);
CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payments.events
  FOR EACH STATEMENT EXECUTE FUNCTION payments.reject_change();
