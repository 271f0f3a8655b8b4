-- Payments by card and what else a payment provider offers. The provider is the authority on what was paid, refunded and
-- disputed, and the ledger on credit: these rows say what belongs together and what was booked.

CREATE TABLE payments.provider_state (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  installation_id uuid NOT NULL DEFAULT gen_random_uuid(),
  last_event_ms bigint,
  next_pass_ms bigint NOT NULL DEFAULT 0
);
COMMENT ON COLUMN payments.provider_state.installation_id IS
  'In the metadata of every payment, so that several installations can share an account at the payment provider.';
COMMENT ON COLUMN payments.provider_state.last_event_ms IS 'When the last good event was handled; null: none was.';
COMMENT ON COLUMN payments.provider_state.next_pass_ms IS
  'When the next pass of the reconciler may begin, on whichever replica.';
INSERT INTO payments.provider_state DEFAULT VALUES;

CREATE TABLE payments.provider_lists (
  kind text PRIMARY KEY CHECK (kind IN ('payment', 'refund', 'dispute')),
  cursor_ms bigint NOT NULL,
  window_end_ms bigint,
  after_id text
);
COMMENT ON TABLE payments.provider_lists IS
  'What the reconciler has listed at the payment provider: everything created before cursor_ms. While a window is being '
  'listed, window_end_ms is its end and after_id the last object seen.';
INSERT INTO payments.provider_lists (kind, cursor_ms)
  SELECT kind, floor(extract(epoch FROM now()) * 1000)::bigint FROM unnest(ARRAY['payment', 'refund', 'dispute']) AS kind;

CREATE TABLE payments.accounts (
  account_id uuid PRIMARY KEY,
  customer_id text,
  daily_limit_nanos bigint CHECK (daily_limit_nanos >= 0)
);
COMMENT ON COLUMN payments.accounts.customer_id IS 'The account''s customer at the payment provider; null: it has none yet.';
COMMENT ON COLUMN payments.accounts.daily_limit_nanos IS
  'What the account may pay in within 24 hours; null: what its payments so far allow.';

CREATE TABLE payments.payments (
  account_id uuid NOT NULL,
  payment_id uuid NOT NULL,
  idempotency_key text,
  amount_nanos bigint NOT NULL CHECK (amount_nanos > 0),
  save_method boolean NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'settled', 'failed')),
  created_by text NOT NULL,
  created_by_id text NOT NULL,
  created_at_ms bigint NOT NULL,
  settled_at_ms bigint,
  checkout_id text,
  checkout_url text,
  provider_payment text,
  method text,
  failure text,
  version bigint NOT NULL DEFAULT 0,
  asked_at_ms bigint NOT NULL DEFAULT 0,
  next_check_ms bigint,
  PRIMARY KEY (account_id, payment_id),
  UNIQUE (account_id, idempotency_key)
);
COMMENT ON COLUMN payments.payments.idempotency_key IS
  'The caller''s; null: the row was lost and made again from what the payment provider knows.';
COMMENT ON COLUMN payments.payments.checkout_id IS
  'The provider''s page where the person pays; null: it was not made, or the answer was lost.';
COMMENT ON COLUMN payments.payments.version IS
  'How often what the provider says was recorded, so that an older answer never replaces a newer one.';
COMMENT ON COLUMN payments.payments.asked_at_ms IS 'When the provider was last asked because somebody looked at the payment.';
COMMENT ON COLUMN payments.payments.next_check_ms IS 'When the reconciler looks at it again; null: nothing can change by itself.';
CREATE INDEX payments_by_provider_payment ON payments.payments (provider_payment);
CREATE INDEX payments_by_checkout ON payments.payments (checkout_id);
CREATE INDEX payments_by_person ON payments.payments (created_by_id, created_at_ms);
CREATE INDEX payments_to_check ON payments.payments (next_check_ms) WHERE next_check_ms IS NOT NULL;

CREATE TABLE payments.movements (
  account_id uuid NOT NULL,
  movement_key text NOT NULL,
  payment_id uuid NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL CHECK (kind IN ('deposit', 'refund', 'dispute')),
  amount_nanos bigint NOT NULL CHECK (amount_nanos <> 0),
  reason text NOT NULL,
  refuse_shortfall boolean NOT NULL,
  provider_id text,
  provider_cents bigint NOT NULL,
  booked_at_ms bigint,
  PRIMARY KEY (account_id, movement_key)
);
COMMENT ON TABLE payments.movements IS
  'What a payment moves in the ledger, decided once and then booked. movement_key is the idempotency key of the ledger.';
COMMENT ON COLUMN payments.movements.provider_id IS 'The payment, refund or dispute at the payment provider; null: not known yet.';
COMMENT ON COLUMN payments.movements.provider_cents IS 'What was received, refunded or disputed, taxes included.';
COMMENT ON COLUMN payments.movements.booked_at_ms IS 'When the ledger had committed it; null: it has not answered yet.';
CREATE INDEX movements_by_payment ON payments.movements (account_id, payment_id, position);
CREATE INDEX movements_by_provider_id ON payments.movements (provider_id);

CREATE TABLE payments.refunds (
  account_id uuid NOT NULL,
  refund_id uuid NOT NULL,
  payment_id uuid NOT NULL,
  idempotency_key text NOT NULL,
  amount_nanos bigint NOT NULL CHECK (amount_nanos > 0),
  provider_cents bigint NOT NULL CHECK (provider_cents > 0),
  reason text NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'accepted', 'refused')),
  failure text,
  tries int NOT NULL DEFAULT 0,
  next_try_ms bigint,
  actor jsonb NOT NULL,
  created_at_ms bigint NOT NULL,
  PRIMARY KEY (account_id, refund_id),
  UNIQUE (account_id, idempotency_key)
);
COMMENT ON TABLE payments.refunds IS
  'Refunds that operators began here. Open: its credit is taken or about to be, and what the payment provider says is not known.';
COMMENT ON COLUMN payments.refunds.failure IS 'Why it was refused; null: it was not.';
COMMENT ON COLUMN payments.refunds.tries IS 'How often the payment provider was asked to refund, or may have been.';
COMMENT ON COLUMN payments.refunds.actor IS 'Who began it, for the audit log.';
CREATE INDEX refunds_to_try ON payments.refunds (next_try_ms) WHERE next_try_ms IS NOT NULL;

CREATE TABLE payments.audit (
  entry_id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  created_at_ms bigint NOT NULL,
  actor_id text NOT NULL,
  actor_name text NOT NULL,
  actor_role text NOT NULL,
  actor_via text NOT NULL,
  action text NOT NULL,
  target_id text NOT NULL,
  target_name text NOT NULL,
  details jsonb NOT NULL
);
COMMENT ON TABLE payments.audit IS
  'Changes that people and programs made, each written in the transaction of its change. Append-only. entry_id: a UUIDv7 '
  'of created_at_ms. actor_id empty: an operator at the command line.';
CREATE INDEX audit_by_account ON payments.audit (account_id, entry_id);
CREATE INDEX audit_by_actor ON payments.audit (actor_id, entry_id);
CREATE INDEX audit_by_target ON payments.audit (target_id, entry_id);
CREATE INDEX audit_by_subject ON payments.audit (split_part(action, '.', 1), entry_id);

CREATE FUNCTION payments.reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of %.% are never changed or removed', TG_TABLE_SCHEMA, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payments.audit
  FOR EACH STATEMENT EXECUTE FUNCTION payments.reject_change();
