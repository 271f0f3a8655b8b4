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

-- A row is of one of four kinds: a key that is deleted (key_id, and its value), another value of a key that is dead for
-- good (changed_key_id, and the value), a key that has changed, or an account that has (changed_key_id or account_id, a
-- revision, and the empty value). An auth of the version before goes on reading and writing the first kind as it did, and
-- tells of the others as of an empty value, which means nothing to anyone.
ALTER TABLE auth.revocations
  ALTER COLUMN key_id DROP NOT NULL,
  ADD COLUMN changed_key_id uuid,
  ADD COLUMN account_id uuid,
  -- Of the key or account: records of an earlier one are out of date.
  ADD COLUMN revision bigint,
  ADD CHECK (num_nonnulls(key_id, changed_key_id, account_id) = 1),
  ADD CHECK (octet_length(key_sha256) = CASE WHEN revision IS NULL THEN 32 ELSE 0 END),
  ADD CHECK (key_id IS NULL OR revision IS NULL),
  ADD CHECK (account_id IS NULL OR revision IS NOT NULL);

CREATE INDEX revocations_of_key ON auth.revocations (changed_key_id, sequence);
CREATE INDEX revocations_of_account ON auth.revocations (account_id, sequence);

-- What the ingress follows: 0 deletions only, 1 changes of keys and accounts too. 0 also for one that is connected to an
-- auth of the version before.
ALTER TABLE auth.watchers ADD COLUMN version int NOT NULL DEFAULT 0;

-- An auth of the version before changes caps and discounts without telling the ingresses, which believe what they know for
-- a minute now. Its calls fail instead: only a revision of the clock comes from an auth that tells them.
CREATE FUNCTION auth.require_told_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.revision < (extract(epoch FROM now()) * 1000000)::bigint THEN
    RAISE EXCEPTION 'a change of % without a revision of the clock: is an auth of an earlier version running?', TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER told_changes BEFORE UPDATE OF day_cap_nanos, month_cap_nanos, total_cap_nanos ON auth.keys
  FOR EACH ROW EXECUTE FUNCTION auth.require_told_change();
CREATE TRIGGER told_changes BEFORE UPDATE OF discount_ppm ON auth.accounts
  FOR EACH ROW EXECUTE FUNCTION auth.require_told_change();
