-- Usage by project and owner, and requests of derived keys below the keys that they were made with.

ALTER TABLE ledger.usage_hourly
  ADD COLUMN project_id uuid,
  ADD COLUMN owner_id uuid,
  ADD COLUMN root_key_id uuid,
  ADD COLUMN moved boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN ledger.usage_hourly.project_id IS
  'Where the key was at the first charge that says so; null: none did, which counts for the default project.';
COMMENT ON COLUMN ledger.usage_hourly.owner_id IS 'The service account or member that owned the key then; null: none.';
COMMENT ON COLUMN ledger.usage_hourly.root_key_id IS 'The topmost of the keys above a derived one; null: it is not derived.';
COMMENT ON COLUMN ledger.usage_hourly.moved IS 'Whether a part was charged elsewhere, see usage_hourly_moved.';

ALTER TABLE ledger.usage_daily
  ADD COLUMN project_id uuid,
  ADD COLUMN owner_id uuid,
  ADD COLUMN root_key_id uuid,
  ADD COLUMN moved boolean NOT NULL DEFAULT false;

-- The previous release still adds to the rows of a key, whatever its project: so their primary key stays as it is.
CREATE TABLE ledger.usage_hourly_moved (
  LIKE ledger.usage_hourly INCLUDING DEFAULTS,
  UNIQUE NULLS NOT DISTINCT (account_id, start_ms, key_id, model, project_id, owner_id)
) WITH (fillfactor = 70);
ALTER TABLE ledger.usage_hourly_moved DROP COLUMN moved;
COMMENT ON TABLE ledger.usage_hourly_moved IS
  'Of rows of usage_hourly whose key moved within the hour: what to add for each other project and owner, and to take off, as '
  'negative numbers, from the ones in the row. So those of a row sum to zero.';

CREATE TABLE ledger.usage_daily_moved (
  LIKE ledger.usage_hourly_moved INCLUDING DEFAULTS,
  UNIQUE NULLS NOT DISTINCT (account_id, start_ms, key_id, model, project_id, owner_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.usage_daily_moved IS 'As usage_hourly_moved, of usage_daily.';

ALTER TABLE ledger.refusals ADD COLUMN node_ids uuid[];
COMMENT ON COLUMN ledger.refusals.node_ids IS
  'As in charges; null: the key was not accepted, or the refusal is from before they were recorded.';

ALTER TABLE ledger.refusal_counts
  ADD COLUMN project_id uuid,
  ADD COLUMN owner_id uuid,
  ADD COLUMN root_key_id uuid;
COMMENT ON COLUMN ledger.refusal_counts.project_id IS
  'Where the key was at the first refusal of the day that says so, as in usage_hourly; null: none did.';

-- In a ledger with data they are built afterwards, see store/late-indexes.ts.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'ledger.charges'::regclass) THEN
    CREATE INDEX usage_hourly_by_project ON ledger.usage_hourly (account_id, project_id, start_ms);
    CREATE INDEX usage_hourly_by_owner ON ledger.usage_hourly (account_id, owner_id, start_ms) WHERE owner_id IS NOT NULL;
    CREATE INDEX usage_hourly_by_root_key ON ledger.usage_hourly (account_id, root_key_id, start_ms)
      WHERE root_key_id IS NOT NULL;
  END IF;
END
$$;
