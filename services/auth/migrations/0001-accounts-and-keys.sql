-- Accounts, their API keys, and what makes a change of them apply at every ingress when the call returns.

CREATE TABLE auth.accounts (
  account_id          uuid PRIMARY KEY,
  name                text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  -- A suspended account's keys are refused until the suspension is lifted.
  status              text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  -- Part of every key of the account; the Redis hash tag of all its entries.
  tag                 text NOT NULL UNIQUE CHECK (tag ~ '^[0-9A-Za-z]{6}$'),
  -- Set by the creator of the account, so that a repeated call does not create a second one.
  idempotency_key     text UNIQUE CHECK (char_length(idempotency_key) BETWEEN 1 AND 200),
  created_at          timestamptz NOT NULL DEFAULT now(),
  -- Taken off list prices, parts per million: 150,000 is 15 %.
  discount_ppm        int NOT NULL DEFAULT 0 CHECK (discount_ppm BETWEEN 0 AND 1000000),
  -- NULL: no limit. Per minute; input and output tokens together; requests open at the same time.
  requests_per_minute bigint CHECK (requests_per_minute BETWEEN 1 AND 1000000000),
  tokens_per_minute   bigint CHECK (tokens_per_minute BETWEEN 1 AND 1000000000),
  open_requests       int CHECK (open_requests BETWEEN 1 AND 1000000),
  -- For operators; NULL unless suspended.
  suspension_reason   text CHECK (char_length(suspension_reason) BETWEEN 1 AND 200),
  -- Grows with every change of the account, and follows the clock, so that none is used twice after a restore.
  revision            bigint NOT NULL DEFAULT 1
);

CREATE TABLE auth.keys (
  -- UUIDv7, so that keys sort by creation.
  key_id              uuid PRIMARY KEY,
  account_id          uuid NOT NULL REFERENCES auth.accounts,
  name                text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  -- SHA-256 of the whole key. The key itself is stored nowhere.
  key_sha256          bytea NOT NULL UNIQUE CHECK (octet_length(key_sha256) = 32),
  -- What may be shown of the key.
  display_prefix      text NOT NULL,
  last_four           text NOT NULL,
  -- Model ids the key may call; empty: all.
  allowed_models      text[] NOT NULL DEFAULT '{}',
  created_at          timestamptz NOT NULL DEFAULT now(),
  -- NULL: never.
  expires_at          timestamptz,
  -- Set once and for good: a deleted key stays listed and never becomes active again.
  deleted_at          timestamptz,
  -- The maximum the key may spend in a day or month of UTC, or in total, nano-dollars; NULL: no cap.
  day_cap_nanos       bigint CHECK (day_cap_nanos >= 0),
  month_cap_nanos     bigint CHECK (month_cap_nanos >= 0),
  total_cap_nanos     bigint CHECK (total_cap_nanos >= 0),
  -- As of an account.
  revision            bigint NOT NULL DEFAULT 1,
  requests_per_minute bigint CHECK (requests_per_minute BETWEEN 1 AND 1000000000),
  tokens_per_minute   bigint CHECK (tokens_per_minute BETWEEN 1 AND 1000000000),
  open_requests       int CHECK (open_requests BETWEEN 1 AND 1000000),
  -- Written on each charge of the key: an object of texts.
  tags                jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(tags) = 'object'),
  last_used_at        timestamptz,
  -- The value before the last rotation, and until when it is accepted.
  previous_sha256     bytea UNIQUE CHECK (octet_length(previous_sha256) = 32),
  previous_until      timestamptz,
  -- Set by the caller of the last rotation, so that a repeated call repeats it instead of rotating again.
  rotation_key        text CHECK (char_length(rotation_key) BETWEEN 1 AND 200),
  CHECK ((previous_sha256 IS NULL) = (previous_until IS NULL))
);

CREATE INDEX keys_of_account ON auth.keys (account_id, key_id DESC);

-- The last sequence number given to a revocation. Its one row is locked from there to the commit, so that numbers become
-- visible in order and a reader that has seen one has seen all before it.
CREATE TABLE auth.revocation_clock (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  sequence bigint NOT NULL
);
INSERT INTO auth.revocation_clock (sequence) VALUES (0);

-- Recent changes, as they are sent to every ingress. Kept for longer than a cached record counts, then removed. A row is
-- one of four kinds: a deleted key (key_id and its value), another value of a key that is dead for good (changed_key_id and
-- the value), a changed key, or a changed account (changed_key_id or account_id, a revision, and the empty value).
CREATE TABLE auth.revocations (
  sequence       bigint PRIMARY KEY,
  key_id         uuid UNIQUE,
  key_sha256     bytea NOT NULL,
  revoked_at     timestamptz NOT NULL,
  changed_key_id uuid,
  account_id     uuid,
  -- Of the key or account: records of an earlier one are out of date.
  revision       bigint,
  CHECK (num_nonnulls(key_id, changed_key_id, account_id) = 1),
  CHECK (octet_length(key_sha256) = CASE WHEN revision IS NULL THEN 32 ELSE 0 END),
  CHECK (key_id IS NULL OR revision IS NULL),
  CHECK (account_id IS NULL OR revision IS NOT NULL)
);

CREATE INDEX revocations_by_age ON auth.revocations (revoked_at);
CREATE INDEX revocations_of_key ON auth.revocations (changed_key_id, sequence);
CREATE INDEX revocations_of_account ON auth.revocations (account_id, sequence);

-- The ingress processes that trust cached keys. One is silent once its row has not changed for the time of trust.
CREATE TABLE auth.watchers (
  watcher_id       uuid PRIMARY KEY,
  -- For operators: nothing is decided by it.
  heartbeat_at     timestamptz NOT NULL,
  -- Every revocation up to this one has been applied there.
  applied_sequence bigint NOT NULL,
  -- The longest time that any auth has granted the ingress to trust cached keys after a ping, in milliseconds.
  trust_ms         int NOT NULL DEFAULT 0
);
