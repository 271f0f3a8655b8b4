-- The tags of the key a charge was made with. Without a constraint, which would read every charge there is.
ALTER TABLE ledger.charges ADD COLUMN tags jsonb;
COMMENT ON COLUMN ledger.charges.tags IS 'What the key marked its charges with, an object of texts; null: nothing.';
