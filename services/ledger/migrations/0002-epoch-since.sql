-- When the epoch was raised. After a restore the database does not know the sessions opened since the backup was made;
-- they are told by the time inside their id, which lies before this.
ALTER TABLE ledger.meta ADD COLUMN epoch_since_ms bigint NOT NULL DEFAULT 0;
