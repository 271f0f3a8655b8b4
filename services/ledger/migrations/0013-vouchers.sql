-- Vouchers: codes that grant credit once each.

CREATE TABLE ledger.vouchers (
  voucher_id uuid PRIMARY KEY,
  code_sha256 bytea NOT NULL UNIQUE,
  last_four text NOT NULL,
  amount_nanos bigint NOT NULL CHECK (amount_nanos > 0),
  reason text NOT NULL,
  created_by text NOT NULL,
  created_at_ms bigint NOT NULL,
  expires_at_ms bigint,
  credit_days int CHECK (credit_days > 0),
  revoked_at_ms bigint,
  redeemed_at_ms bigint,
  redeemed_for uuid,
  CONSTRAINT vouchers_end_once CHECK (revoked_at_ms IS NULL OR redeemed_at_ms IS NULL),
  CHECK ((redeemed_at_ms IS NULL) = (redeemed_for IS NULL))
);
COMMENT ON TABLE ledger.vouchers IS
  'Codes that operators give away, by their SHA-256. expires_at_ms: until when one can be redeemed. credit_days: when the credit ends '
  'after that; null: never. redeemed_for: the account whose deposit has the idempotency key voucher:<voucher_id>.';
