-- Ceilings of nodes above keys, such as projects: charges name their nodes, and count towards the caps of each.

CREATE TABLE ledger.node_usage (
  account_id uuid NOT NULL,
  node_id uuid NOT NULL,
  day_ms bigint NOT NULL,
  charged_nanos bigint NOT NULL CHECK (charged_nanos >= 0),
  filled_nanos bigint NOT NULL DEFAULT 0 CHECK (filled_nanos BETWEEN 0 AND charged_nanos),
  PRIMARY KEY (account_id, node_id, day_ms)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.node_usage IS
  'What keys below a node above keys were charged, by day (UTC) of the request''s start, kept in the transaction that posts the '
  'charges. Keys are in usage_daily. filled_nanos: the part of charges from before charges named their nodes, all of the default '
  'project, whose id is the account''s.';
INSERT INTO ledger.node_usage (account_id, node_id, day_ms, charged_nanos, filled_nanos)
  SELECT account_id, account_id, start_ms, sum(charged_nanos), sum(charged_nanos)
  FROM ledger.usage_daily WHERE charged_nanos > 0 GROUP BY account_id, start_ms;

ALTER TABLE ledger.charges ADD COLUMN node_ids uuid[];
COMMENT ON COLUMN ledger.charges.node_ids IS
  'The nodes above the key that it counts towards, root first, as in node_usage; null: none, or from before charges named them.';

-- Short and last, because settlement waits for it.
ALTER TABLE ledger.caps RENAME TO ceilings;
ALTER TABLE ledger.ceilings RENAME COLUMN key_id TO node_id;
ALTER TABLE ledger.ceilings RENAME COLUMN key_revision TO revision;
ALTER INDEX ledger.caps_pkey RENAME TO ceilings_pkey;
ALTER INDEX ledger.caps_by_age RENAME TO ceilings_by_age;
COMMENT ON TABLE ledger.ceilings IS
  'One row per cap of a node (a key, or a node above keys) and period (UTC; start 0 for total), created when an ingress first asks '
  'for a part of it and removed once its period can get no further charge. spent: all that was charged to requests below the node '
  'that started in the period. leased: the rest of the parts that sessions lease. Parts are leased only while spent + leased stays '
  'within limit_nanos. limit_nanos: as the latest revision of the node has it. Changed under the lock of the account''s balance.';
ALTER TABLE ledger.cap_leases RENAME TO ceiling_leases;
ALTER TABLE ledger.ceiling_leases RENAME COLUMN key_id TO node_id;
ALTER INDEX ledger.cap_leases_pkey RENAME TO ceiling_leases_pkey;
ALTER INDEX ledger.cap_leases_by_session RENAME TO ceiling_leases_by_session;
ALTER TABLE ledger.ceiling_leases RENAME CONSTRAINT cap_leases_cover TO ceiling_leases_cover;

-- The previous release still uses these; a later migration drops them.
CREATE VIEW ledger.caps AS
  SELECT account_id, node_id AS key_id, period, period_start_ms, limit_nanos, revision AS key_revision, spent, leased, alerted_percent
  FROM ledger.ceilings;
CREATE VIEW ledger.cap_leases AS
  SELECT account_id, node_id AS key_id, period, period_start_ms, session_id, granted, spent, returned, acquire_sequence
  FROM ledger.ceiling_leases;
COMMENT ON VIEW ledger.caps IS 'Not used.';
COMMENT ON VIEW ledger.cap_leases IS 'Not used.';
