-- What providers charge for requests, where they report it.

ALTER TABLE ledger.charges ADD COLUMN upstream_cost_nanos bigint;
COMMENT ON COLUMN ledger.charges.upstream_cost_nanos IS
  'What the provider charges the operator, as it reported; null: it reported none. It moves no money here.';
