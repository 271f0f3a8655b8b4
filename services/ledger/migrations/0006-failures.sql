-- Why requests failed, and the calls to providers that it took.

ALTER TABLE ledger.charges
  ADD COLUMN http_status int,
  ADD COLUMN error_type text,
  ADD COLUMN attempts jsonb;
COMMENT ON COLUMN ledger.charges.http_status IS
  'The status of the error that the client got, or in a stream that had begun the code of its error event; null: none.';
COMMENT ON COLUMN ledger.charges.error_type IS 'The error.type of that error; null: none.';
COMMENT ON COLUMN ledger.charges.attempts IS
  'Array of [deployment, start in ms after that of the request, duration in ms, FailureCause of services/common or "" for '
  'success, HTTP status of the provider or 0], at most 10; null: the first call succeeded.';
