-- Keys that were made with another key. What limits or ends a key limits or ends every key below it.
ALTER TABLE auth.keys
  ADD COLUMN parent_key_id uuid,
  -- All keys above it, the root first and the parent last. They never change.
  ADD COLUMN above_key_ids uuid[],
  -- No row violates them: the columns are new. So they are not checked under the lock of the table.
  ADD FOREIGN KEY (parent_key_id) REFERENCES auth.keys NOT VALID,
  ADD CHECK ((parent_key_id IS NULL) = (above_key_ids IS NULL)) NOT VALID,
  ADD CHECK (cardinality(above_key_ids) BETWEEN 1 AND 3 AND above_key_ids[cardinality(above_key_ids)] = parent_key_id) NOT VALID;

-- The lists of an account's keys and of the keys below one, and the derived keys that are alive, of which there are at most
-- 10,000 per account: dead ones pile up.
CREATE INDEX keys_of_root ON auth.keys (account_id, key_id DESC) WHERE parent_key_id IS NULL;
CREATE INDEX keys_of_parent ON auth.keys (parent_key_id, key_id DESC) WHERE parent_key_id IS NOT NULL;
CREATE INDEX live_derived_keys ON auth.keys (account_id, parent_key_id, key_id)
  WHERE parent_key_id IS NOT NULL AND deleted_at IS NULL;

-- How many derived keys of an account are alive at most: each creation adds one, and only a count takes the dead ones off, when
-- the maximum is reached. So a creation reads one row instead of 10,000.
CREATE TABLE auth.derived_key_counts (
  account_id uuid PRIMARY KEY REFERENCES auth.accounts,
  keys       int NOT NULL CHECK (keys >= 0)
);
