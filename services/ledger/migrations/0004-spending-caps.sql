-- Spending caps of keys: how much of each is spent and lent to ingress sessions, by period.

CREATE TYPE ledger.cap_period AS ENUM ('day', 'month', 'total');

CREATE TABLE ledger.caps (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  period ledger.cap_period NOT NULL,
  period_start_ms bigint NOT NULL,
  limit_nanos bigint NOT NULL CHECK (limit_nanos >= 0),
  key_revision bigint NOT NULL,
  spent bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
  leased bigint NOT NULL DEFAULT 0 CHECK (leased >= 0),
  PRIMARY KEY (account_id, key_id, period, period_start_ms)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.caps IS
  'One row per cap of a key and period (UTC; start 0 for total), made when an ingress first asks for a part of it and '
  'removed once no charge of its period can come any more. spent: all that was charged to requests of the key that '
  'started in the period. leased: lent to ingress sessions and not spent. Credit is lent only while spent + leased stays '
  'within limit_nanos. limit_nanos: as the latest key_revision has it. Changed under the lock of the account''s balance.';
CREATE INDEX caps_by_age ON ledger.caps (period, period_start_ms) WHERE period <> 'total';

CREATE TABLE ledger.cap_leases (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  period ledger.cap_period NOT NULL,
  period_start_ms bigint NOT NULL,
  session_id uuid NOT NULL,
  granted bigint NOT NULL DEFAULT 0,
  spent bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
  returned bigint NOT NULL DEFAULT 0 CHECK (returned >= 0),
  acquire_sequence bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, key_id, period, period_start_ms, session_id),
  CONSTRAINT cap_leases_cover CHECK (granted >= spent + returned)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.cap_leases IS
  'A session''s part of a cap, cumulative over the session as in ledger.leases. Removed when the session ends.';
CREATE INDEX cap_leases_by_session ON ledger.cap_leases (session_id, account_id);

-- What a key has cost so far, which a cap begins with.
CREATE INDEX usage_daily_by_key ON ledger.usage_daily (account_id, key_id, start_ms);
