-- Ceilings of sessions as clients name them: an account has a limited number, and they go some days after their last request.

ALTER TABLE ledger.ceilings ADD COLUMN used_day_ms bigint;
COMMENT ON COLUMN ledger.ceilings.used_day_ms IS
  'Of a session: the day (UTC) in which an ingress last asked for a part of it; null for all other periods.';
CREATE INDEX ceilings_of_sessions ON ledger.ceilings (account_id, used_day_ms) WHERE used_day_ms IS NOT NULL;
CREATE INDEX ceilings_of_old_sessions ON ledger.ceilings (used_day_ms) WHERE used_day_ms IS NOT NULL;

ALTER TABLE ledger.balances ADD COLUMN client_sessions int NOT NULL DEFAULT 0 CHECK (client_sessions >= 0);
COMMENT ON COLUMN ledger.balances.client_sessions IS 'How many ceilings of sessions the account has.';
