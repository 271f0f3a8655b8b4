-- Limits, tags, rotation and last use of keys; limits and suspension of accounts; and changes of both, told to ingresses
-- as deletions are.

ALTER TABLE auth.accounts
  -- NULL: no limit. Per minute; tokens of input and output together; requests under way at the same time.
  ADD COLUMN requests_per_minute bigint CHECK (requests_per_minute BETWEEN 1 AND 1000000000),
  ADD COLUMN tokens_per_minute   bigint CHECK (tokens_per_minute BETWEEN 1 AND 1000000000),
  ADD COLUMN open_requests       int CHECK (open_requests BETWEEN 1 AND 1000000),
  -- For operators; NULL unless suspended.
  ADD COLUMN suspension_reason   text CHECK (char_length(suspension_reason) BETWEEN 1 AND 200),
  -- Grows with every change of the account, and follows the clock, so that none is given again after a restore.
  ADD COLUMN revision            bigint NOT NULL DEFAULT 1;

ALTER TABLE auth.keys
  ADD COLUMN requests_per_minute bigint CHECK (requests_per_minute BETWEEN 1 AND 1000000000),
  ADD COLUMN tokens_per_minute   bigint CHECK (tokens_per_minute BETWEEN 1 AND 1000000000),
  ADD COLUMN open_requests       int CHECK (open_requests BETWEEN 1 AND 1000000),
  -- What charges of the key are marked with: an object of texts.
  ADD COLUMN tags                jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(tags) = 'object'),
  ADD COLUMN last_used_at        timestamptz,
  -- The value before the last rotation, and until when it is good.
  ADD COLUMN previous_sha256     bytea UNIQUE CHECK (octet_length(previous_sha256) = 32),
  ADD COLUMN previous_until      timestamptz,
  -- Given by who rotated the key last, so that a repeated call makes the same rotation again and not another one.
  ADD COLUMN rotation_key        text CHECK (char_length(rotation_key) BETWEEN 1 AND 200),
  ADD CHECK ((previous_sha256 IS NULL) = (previous_until IS NULL));

-- A row is of one of three kinds: a value of a key that is dead for good, a key that has changed, or an account that has.
ALTER TABLE auth.revocations
  DROP CONSTRAINT revocations_key_id_key,
  ALTER COLUMN key_id DROP NOT NULL,
  ALTER COLUMN key_sha256 DROP NOT NULL,
  ADD COLUMN account_id uuid,
  -- Of the key or account: records of an earlier one are out of date.
  ADD COLUMN revision bigint,
  ADD CHECK (num_nonnulls(key_id, account_id) = 1),
  ADD CHECK (num_nonnulls(key_sha256, revision) = 1),
  ADD CHECK (key_sha256 IS NULL OR key_id IS NOT NULL);

CREATE INDEX revocations_of_key ON auth.revocations (key_id, sequence);
CREATE INDEX revocations_of_account ON auth.revocations (account_id, sequence);
