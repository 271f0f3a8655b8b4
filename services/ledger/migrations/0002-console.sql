-- What the console shows: sessions and agents of clients, refused requests, and who changed what.

ALTER TABLE ledger.charges
  ADD COLUMN client_session_id text,
  ADD COLUMN agent_id text,
  ADD COLUMN parent_agent_id text;
COMMENT ON COLUMN ledger.charges.client_session_id IS 'The session of the client, from its headers; null: not sent.';
COMMENT ON COLUMN ledger.charges.agent_id IS 'The agent of the client, from its headers; null: not sent.';
COMMENT ON COLUMN ledger.charges.parent_agent_id IS 'The agent that started the agent; null: not sent.';

-- Indexes for lists. In a ledger with data they are built afterwards, concurrently, so that settlement never waits for them:
-- here only the parents of those on partitions. Partitions created from now on have them. See store/late-indexes.ts.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'ledger.charges'::regclass) THEN
    CREATE INDEX charges_by_client_session ON ledger.charges (account_id, client_session_id, request_id)
      WHERE client_session_id IS NOT NULL;
    CREATE INDEX charges_not_completed ON ledger.charges (account_id, request_id) WHERE status <> 'completed';
    CREATE INDEX usage_hourly_by_key ON ledger.usage_hourly (account_id, key_id, start_ms);
    CREATE INDEX usage_hourly_by_model ON ledger.usage_hourly (account_id, model, start_ms);
    CREATE INDEX balances_with_loss ON ledger.balances (operator_loss, account_id) WHERE operator_loss < 0;
  ELSE
    CREATE INDEX charges_by_client_session ON ONLY ledger.charges (account_id, client_session_id, request_id)
      WHERE client_session_id IS NOT NULL;
    CREATE INDEX charges_not_completed ON ONLY ledger.charges (account_id, request_id) WHERE status <> 'completed';
  END IF;
END
$$;

ALTER TABLE ledger.deposits ADD COLUMN created_by text;
COMMENT ON COLUMN ledger.deposits.created_by IS 'Name of the actor; null: made before actors were recorded.';

ALTER TABLE ledger.sessions
  ADD COLUMN unsettled_charges bigint NOT NULL DEFAULT 0,
  ADD COLUMN oldest_unsettled_ms bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN ledger.sessions.unsettled_charges IS
  'As in the last heartbeat: charges in the journal of the ingress that are not acknowledged.';
COMMENT ON COLUMN ledger.sessions.oldest_unsettled_ms IS 'As in the last heartbeat: the age of the oldest of them.';

CREATE INDEX events_by_id ON ledger.events (event_id);

CREATE TABLE ledger.refusals (
  account_id uuid NOT NULL,
  request_id uuid NOT NULL,
  key_id uuid NOT NULL,
  trace_id uuid NOT NULL,
  refused_at_ms bigint NOT NULL,
  http_status int NOT NULL,
  key_name text NOT NULL,
  model text NOT NULL,
  protocol_in text NOT NULL,
  error_type text NOT NULL,
  reason text NOT NULL,
  message text NOT NULL,
  client_session_id text,
  PRIMARY KEY (account_id, request_id)
);
COMMENT ON TABLE ledger.refusals IS
  'Requests that were refused before they got a hold: the latest 1,000 of each account, for 7 days. Not part of the money: '
  'written without any lock of a balance.';
COMMENT ON COLUMN ledger.refusals.reason IS 'A RefusalReason of services/common.';
CREATE INDEX refusals_by_time ON ledger.refusals (refused_at_ms);

CREATE TABLE ledger.refusal_counts (
  account_id uuid NOT NULL,
  day_ms bigint NOT NULL,
  key_id uuid NOT NULL,
  reason text NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (account_id, day_ms, key_id, reason)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.refusal_counts IS
  'Refused requests by day (UTC), including those that are not kept. key_id is all zeros for refusals that an ingress '
  'dropped and only counted.';
CREATE INDEX refusal_counts_by_day ON ledger.refusal_counts (day_ms);

CREATE TABLE ledger.unknown_keys (
  hour_ms bigint PRIMARY KEY,
  requests bigint NOT NULL
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.unknown_keys IS 'Requests with unknown keys by hour (UTC), of all ingresses together.';

CREATE TABLE ledger.audit (
  entry_id uuid PRIMARY KEY,
  account_id uuid,
  created_at_ms bigint NOT NULL,
  actor_id text NOT NULL,
  actor_name text NOT NULL,
  actor_role text NOT NULL,
  actor_via text NOT NULL,
  action text NOT NULL,
  target_id text NOT NULL,
  target_name text NOT NULL,
  details jsonb NOT NULL
);
COMMENT ON TABLE ledger.audit IS
  'Changes that people and programs made, each written in the transaction of its change. Append-only. entry_id: a UUIDv7 '
  'of created_at_ms. account_id null: the change concerns no account. actor_id empty: an operator at the command line.';
CREATE INDEX audit_by_account ON ledger.audit (account_id, entry_id);
CREATE INDEX audit_by_actor ON ledger.audit (actor_id, entry_id);
CREATE INDEX audit_by_target ON ledger.audit (target_id, entry_id);
-- By the part before the point, which a filter may give alone: each has few actions.
CREATE INDEX audit_by_subject ON ledger.audit (split_part(action, '.', 1), entry_id);

CREATE FUNCTION ledger.reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of %.% are never changed or removed', TG_TABLE_SCHEMA, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.audit
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.reject_change();
