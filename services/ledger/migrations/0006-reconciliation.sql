-- Finds the charges posted since the last reconciliation: rows lie in the table as they were posted.
CREATE INDEX charges_by_settlement ON ledger.charges USING brin (settled_at_ms);
