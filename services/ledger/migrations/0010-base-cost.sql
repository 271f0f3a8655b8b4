-- What requests cost at list prices, where an account has prices of its own.

ALTER TABLE ledger.charges ADD COLUMN base_cost_nanos bigint;
COMMENT ON COLUMN ledger.charges.base_cost_nanos IS
  'What the lines cost at list prices; null: the account paid these. Lines then have their list rate as a fifth item.';
