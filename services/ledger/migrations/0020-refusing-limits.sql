-- The cap that refused a request, so that people find what to raise.
ALTER TABLE ledger.refusals
  ADD COLUMN limit_scope text,
  ADD COLUMN limit_id text,
  ADD COLUMN limit_name text,
  ADD COLUMN limit_window text,
  ADD COLUMN limit_project_id uuid;
COMMENT ON COLUMN ledger.refusals.limit_scope IS
  'What has the cap that refused the request, such as key or project; null: no cap did, or it was recorded before caps were.';
COMMENT ON COLUMN ledger.refusals.limit_id IS 'Of what has the cap; of a session its name.';
COMMENT ON COLUMN ledger.refusals.limit_window IS 'Such as month.';
COMMENT ON COLUMN ledger.refusals.limit_project_id IS 'The project that is, or has, the node with the cap; null for keys and sessions.';
