-- Projects of accounts, and below them the service accounts and members that own keys. What limits or ends such a node limits
-- or ends every key below it.
CREATE TABLE auth.nodes (
  account_id          uuid NOT NULL REFERENCES auth.accounts,
  -- UUIDv7, so that nodes sort by creation. That of the project `default` is the account's.
  node_id             uuid NOT NULL,
  -- NULL for a project, otherwise the project.
  parent_id           uuid,
  kind                text NOT NULL CHECK (kind IN ('project', 'service_account', 'member')),
  person_id           uuid REFERENCES auth.people,
  -- Of a member: their e-mail address.
  name                text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 254),
  -- From here on as of a key.
  allowed_models      text[] NOT NULL DEFAULT '{}',
  day_cap_nanos       bigint CHECK (day_cap_nanos >= 0),
  week_cap_nanos      bigint CHECK (week_cap_nanos >= 0),
  month_cap_nanos     bigint CHECK (month_cap_nanos >= 0),
  total_cap_nanos     bigint CHECK (total_cap_nanos >= 0),
  requests_per_minute bigint CHECK (requests_per_minute BETWEEN 1 AND 1000000000),
  tokens_per_minute   bigint CHECK (tokens_per_minute BETWEEN 1 AND 1000000000),
  open_requests       int CHECK (open_requests BETWEEN 1 AND 1000000),
  expires_at          timestamptz,
  -- NULL: it is switched on.
  disabled_at         timestamptz,
  -- Set once and for good; the deletion of a project sets it for everything below the project too.
  deleted_at          timestamptz,
  revision            bigint NOT NULL DEFAULT 1,
  created_at          timestamptz NOT NULL DEFAULT now(),
  created_by_id       uuid,
  created_by_name     text NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, node_id),
  FOREIGN KEY (account_id, parent_id) REFERENCES auth.nodes,
  CHECK ((kind = 'project') = (parent_id IS NULL)),
  CHECK ((kind = 'member') = (person_id IS NOT NULL)),
  CHECK (node_id <> account_id OR (kind = 'project' AND deleted_at IS NULL AND disabled_at IS NULL AND expires_at IS NULL))
);

CREATE UNIQUE INDEX nodes_by_name ON auth.nodes (account_id, parent_id, name) NULLS NOT DISTINCT
  WHERE deleted_at IS NULL AND kind <> 'member';
CREATE UNIQUE INDEX nodes_of_people ON auth.nodes (account_id, parent_id, person_id) WHERE kind = 'member';

-- Both NULL: the key is from before projects, or of a service of that release. It is in the project `default`, and its owner is
-- the member there who made it, if one did.
ALTER TABLE auth.keys
  ADD COLUMN project_id uuid,
  -- NULL: none, such as of a key that an operator made.
  ADD COLUMN owner_id uuid,
  -- No row violates them: the columns are new. So they are not checked under the lock of the table.
  ADD FOREIGN KEY (account_id, project_id) REFERENCES auth.nodes NOT VALID,
  ADD FOREIGN KEY (account_id, owner_id) REFERENCES auth.nodes NOT VALID,
  ADD CHECK (owner_id IS NULL OR project_id IS NOT NULL) NOT VALID;

CREATE INDEX keys_of_project ON auth.keys (account_id, (coalesce(project_id, account_id)), key_id DESC);

INSERT INTO auth.nodes (account_id, node_id, kind, name, created_at)
SELECT account_id, account_id, 'project', 'default', created_at FROM auth.accounts;

INSERT INTO auth.nodes (account_id, node_id, parent_id, kind, person_id, name)
SELECT m.account_id, auth.uuid_of_time(clock_timestamp()), m.account_id, 'member', m.person_id, p.email
FROM auth.memberships m JOIN auth.people p USING (person_id)
WHERE EXISTS (SELECT FROM auth.keys k WHERE k.created_by_id = m.person_id AND k.account_id = m.account_id);
