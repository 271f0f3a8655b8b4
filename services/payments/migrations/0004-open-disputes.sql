-- Whether a payment is disputed, as the payment provider said last.

ALTER TABLE payments.payments ADD COLUMN has_open_dispute boolean;
COMMENT ON COLUMN payments.payments.has_open_dispute IS
  'Whether a dispute that took money is not decided; null: the provider was not asked since this column exists, and one may be '
  'open as long as next_check_ms is set.';
