-- What a project, a service account or a member sets for each key, member, service account and session below it. Caps by the
-- columns they stand for, as texts of nano-dollars, which JSON does not round; NULL: none.
ALTER TABLE auth.nodes
  ADD COLUMN each_key_caps jsonb CHECK (jsonb_typeof(each_key_caps) = 'object'),
  ADD COLUMN each_member_caps jsonb CHECK (jsonb_typeof(each_member_caps) = 'object'),
  ADD COLUMN each_service_account_caps jsonb CHECK (jsonb_typeof(each_service_account_caps) = 'object'),
  ADD COLUMN each_session_nanos bigint CHECK (each_session_nanos > 0),
  -- Its own caps count instead of the defaults above it.
  ADD COLUMN exceeds_defaults boolean NOT NULL DEFAULT false,
  -- Only a project has members and service accounts, and nothing that sets defaults is above it.
  ADD CHECK (kind = 'project' OR (each_member_caps IS NULL AND each_service_account_caps IS NULL)),
  ADD CHECK (kind <> 'project' OR NOT exceeds_defaults);

ALTER TABLE auth.keys
  ADD COLUMN each_session_nanos bigint,
  ADD COLUMN exceeds_defaults boolean NOT NULL DEFAULT false,
  -- No row violates it: the column is new. So it is not checked under the lock of the table.
  ADD CHECK (each_session_nanos > 0) NOT VALID;
