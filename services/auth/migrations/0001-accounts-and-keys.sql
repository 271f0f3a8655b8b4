-- Accounts, their API keys, and what is needed so that a deleted key is dead on every ingress.

CREATE TABLE auth.accounts (
  account_id      uuid PRIMARY KEY,
  name            text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  -- A suspended account's keys are refused until the suspension is lifted.
  status          text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  -- Carried by every key of the account; the Redis hash tag of all its entries.
  tag             text NOT NULL UNIQUE CHECK (tag ~ '^[0-9A-Za-z]{6}$'),
  -- Given by who created the account, so that a repeated call makes no second one.
  idempotency_key text UNIQUE CHECK (char_length(idempotency_key) BETWEEN 1 AND 200),
  created_at      timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE auth.keys (
  -- UUIDv7, so that keys sort by creation.
  key_id         uuid PRIMARY KEY,
  account_id     uuid NOT NULL REFERENCES auth.accounts,
  name           text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  -- SHA-256 of the whole key. The key itself is stored nowhere.
  key_sha256     bytea NOT NULL UNIQUE CHECK (octet_length(key_sha256) = 32),
  -- What may be shown of the key.
  display_prefix text NOT NULL,
  last_four      text NOT NULL,
  -- Model ids the key may call; empty: all.
  allowed_models text[] NOT NULL DEFAULT '{}',
  created_at     timestamptz NOT NULL DEFAULT now(),
  -- NULL: never.
  expires_at     timestamptz,
  -- Set once and for good: a deleted key stays listed and never lives again.
  deleted_at     timestamptz
);

CREATE INDEX keys_of_account ON auth.keys (account_id, key_id DESC);

-- The last sequence number given to a revocation. Its one row is locked from there to the commit, so that numbers become
-- visible in their order and a reader that has seen one has seen all before it.
CREATE TABLE auth.revocation_clock (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  sequence bigint NOT NULL
);
INSERT INTO auth.revocation_clock (sequence) VALUES (0);

-- Keys deleted lately, as they are told to every ingress. Kept for longer than a cached record can live, then removed.
CREATE TABLE auth.revocations (
  sequence   bigint PRIMARY KEY,
  key_id     uuid NOT NULL UNIQUE,
  key_sha256 bytea NOT NULL,
  revoked_at timestamptz NOT NULL
);

CREATE INDEX revocations_by_age ON auth.revocations (revoked_at);

-- The ingress processes that trust cached keys, each until its last heartbeat is older than the time of trust.
CREATE TABLE auth.watchers (
  watcher_id       uuid PRIMARY KEY,
  heartbeat_at     timestamptz NOT NULL,
  -- Every revocation up to this one has been applied there.
  applied_sequence bigint NOT NULL
);
