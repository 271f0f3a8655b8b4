-- What a provider reported of a call and was not believed. Without a constraint, which would read every charge there is.
ALTER TABLE ledger.charges ADD COLUMN reported_usage text;
COMMENT ON COLUMN ledger.charges.reported_usage IS
  'The usage that the provider reported and that was not believed, JSON as it was written; null: it was believed, or none.';
