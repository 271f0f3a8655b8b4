-- Usage by all lifetimes of writes to a cache.

ALTER TABLE ledger.usage_hourly
  ADD COLUMN cache_write_30m bigint NOT NULL DEFAULT 0,
  ADD COLUMN cache_write_12h bigint NOT NULL DEFAULT 0;
ALTER TABLE ledger.usage_daily
  ADD COLUMN cache_write_30m bigint NOT NULL DEFAULT 0,
  ADD COLUMN cache_write_12h bigint NOT NULL DEFAULT 0;
