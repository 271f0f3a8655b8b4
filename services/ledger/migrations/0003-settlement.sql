-- The discount a charge was priced with; the caps it was held under are not kept with it.
ALTER TABLE ledger.charges ADD COLUMN discount_ppm int NOT NULL DEFAULT 0 CHECK (discount_ppm BETWEEN 0 AND 1000000);
COMMENT ON COLUMN ledger.charges.discount_ppm IS
  'Taken off list prices, parts per million: a line is quantity * rate * (1,000,000 - discount_ppm) / 10^12.';

-- Where an account's owner wants to hear that credit runs low.
ALTER TABLE ledger.balances ADD COLUMN notify_below bigint;
COMMENT ON COLUMN ledger.balances.notify_below IS
  'The next low-balance threshold, nano-dollars; null: none. A settlement that leaves available + leased at or under it '
  'has the event recorded in its own transaction, which sets the threshold after that one.';

-- Calls that are charged as such, beside what they use.
ALTER TABLE ledger.usage_hourly ADD COLUMN request bigint NOT NULL DEFAULT 0;
ALTER TABLE ledger.usage_daily ADD COLUMN request bigint NOT NULL DEFAULT 0;

-- Charges are listed by request_id, whose time is that of the start: the primary key serves, and each charge costs an
-- index entry less.
DROP INDEX ledger.charges_by_time;
