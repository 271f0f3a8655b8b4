-- Members ask for higher limits, and who may grant them answers.
CREATE TABLE auth.limit_requests (
  account_id       uuid NOT NULL REFERENCES auth.accounts,
  -- UUIDv7, so that they sort by creation.
  limit_request_id uuid NOT NULL,
  -- The key whose requests the limit refuses.
  key_id           uuid NOT NULL REFERENCES auth.keys,
  -- What has the limit: a node, a key, or a session, whose id is a hash of key and name.
  scope            text NOT NULL CHECK (scope IN ('project', 'service_account', 'member', 'key', 'session')),
  node_id          uuid NOT NULL,
  node_name        text NOT NULL CHECK (char_length(node_name) <= 254),
  -- Of a service account or a member: where it is.
  project_id       uuid,
  period           text NOT NULL CHECK (period IN ('day', 'week', 'month', 'total', 'session')),
  reason           text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 500),
  -- NULL: whoever grants it decides.
  asked_nanos      bigint CHECK (asked_nanos > 0),
  -- When it was asked for; NULL: not known, as of a session.
  limit_nanos      bigint CHECK (limit_nanos >= 0),
  asked_by_id      uuid NOT NULL,
  asked_by_name    text NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  status           text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'granted', 'declined', 'withdrawn')),
  -- NULL: nobody yet, or an operator at the command line.
  answered_by_id   uuid,
  answered_by_name text NOT NULL DEFAULT '',
  answered_at      timestamptz,
  granted_nanos    bigint CHECK (granted_nanos > 0),
  -- Whether it is for good, and otherwise when its window ends; NULL: with the session.
  granted_always   boolean,
  granted_until    timestamptz,
  note             text NOT NULL DEFAULT '' CHECK (char_length(note) <= 500),
  PRIMARY KEY (account_id, limit_request_id),
  CHECK ((scope = 'session') = (period = 'session')),
  CHECK ((status = 'open') = (answered_at IS NULL)),
  CHECK ((status = 'granted') = (granted_nanos IS NOT NULL) AND (status = 'granted') = (granted_always IS NOT NULL))
);

-- Nobody asks twice for the same at a time.
CREATE UNIQUE INDEX open_limit_requests ON auth.limit_requests (account_id, node_id, period, asked_by_id) WHERE status = 'open';

-- Higher limits that were granted for one window, or for one session of a key; NULL: none.
ALTER TABLE auth.nodes ADD COLUMN grants jsonb CHECK (jsonb_typeof(grants) = 'array');
ALTER TABLE auth.keys
  ADD COLUMN grants jsonb,
  -- No row violates it: the column is new. So it is not checked under the lock of the table.
  ADD CHECK (jsonb_typeof(grants) = 'array') NOT VALID;
