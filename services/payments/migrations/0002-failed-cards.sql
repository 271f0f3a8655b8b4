-- Limits by the address of the client, and by cards that failed.

ALTER TABLE payments.payments ADD COLUMN client_network bytea;
COMMENT ON COLUMN payments.payments.client_network IS
  'HMAC of the network that began it, by a key that is not in the database; null: not known, or forgotten after two days.';
CREATE INDEX payments_by_client_network ON payments.payments (client_network, created_at_ms)
  WHERE client_network IS NOT NULL;
CREATE INDEX payments_with_client_network ON payments.payments (created_at_ms) WHERE client_network IS NOT NULL;

CREATE TABLE payments.failed_cards (
  attempt_id text PRIMARY KEY,
  account_id uuid NOT NULL,
  payment_id uuid NOT NULL,
  person_id text NOT NULL,
  client_network bytea,
  failed_at_ms bigint NOT NULL,
  cleared boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE payments.failed_cards IS
  'Attempts of people to pay with a card that failed, as the payment provider has them, for two days.';
COMMENT ON COLUMN payments.failed_cards.attempt_id IS 'The payment provider''s.';
COMMENT ON COLUMN payments.failed_cards.cleared IS 'An operator has decided that it does not count.';
CREATE INDEX failed_cards_by_account ON payments.failed_cards (account_id, failed_at_ms);
CREATE INDEX failed_cards_by_person ON payments.failed_cards (person_id, failed_at_ms);
CREATE INDEX failed_cards_by_client_network ON payments.failed_cards (client_network, failed_at_ms)
  WHERE client_network IS NOT NULL;
CREATE INDEX failed_cards_by_time ON payments.failed_cards (failed_at_ms);
