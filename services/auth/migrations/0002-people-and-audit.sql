-- People, what they may do in which account, management keys, the audit log, and which ingress has confirmed which change.

CREATE TABLE auth.people (
  person_id     uuid PRIMARY KEY,
  -- Lower case ASCII.
  email         text NOT NULL UNIQUE CHECK (email = lower(email) AND char_length(email) BETWEEN 3 AND 254),
  -- Empty until they have given one.
  name          text NOT NULL CHECK (char_length(name) <= 200),
  -- A PHC string of argon2id; NULL: they have no password.
  password_hash text CHECK (char_length(password_hash) BETWEEN 1 AND 500),
  is_operator   boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX operators ON auth.people (email) WHERE is_operator;

-- Identities of OpenID Connect with which people sign in.
CREATE TABLE auth.identities (
  issuer     text NOT NULL CHECK (char_length(issuer) BETWEEN 1 AND 500),
  subject    text NOT NULL CHECK (char_length(subject) BETWEEN 1 AND 255),
  person_id  uuid NOT NULL REFERENCES auth.people,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject),
  -- A second person who gets the e-mail address of the first must not get their access.
  UNIQUE (person_id, issuer)
);

CREATE TABLE auth.memberships (
  account_id uuid NOT NULL REFERENCES auth.accounts,
  person_id  uuid NOT NULL REFERENCES auth.people,
  role       text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'billing')),
  joined_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, person_id)
);

CREATE INDEX memberships_of_person ON auth.memberships (person_id);

-- Open invitations: a row is removed when it is accepted, withdrawn or replaced. Expired ones are ignored and removed later.
CREATE TABLE auth.invitations (
  invitation_id uuid PRIMARY KEY,
  -- NULL: to be an operator.
  account_id    uuid REFERENCES auth.accounts,
  email         text NOT NULL CHECK (email = lower(email) AND char_length(email) BETWEEN 3 AND 254),
  role          text NOT NULL CHECK (role IN ('operator', 'owner', 'admin', 'developer', 'billing')),
  -- SHA-256 of the secret in the link. The secret is stored nowhere.
  secret_sha256 bytea NOT NULL UNIQUE CHECK (octet_length(secret_sha256) = 32),
  invited_by    text NOT NULL CHECK (char_length(invited_by) <= 254),
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL,
  UNIQUE NULLS NOT DISTINCT (account_id, email),
  CHECK ((account_id IS NULL) = (role = 'operator'))
);

CREATE INDEX invitations_of_email ON auth.invitations (email);
CREATE INDEX invitations_by_expiry ON auth.invitations (expires_at);

-- Password resets that have not been used.
CREATE TABLE auth.password_resets (
  -- As of an invitation.
  secret_sha256 bytea PRIMARY KEY CHECK (octet_length(secret_sha256) = 32),
  person_id     uuid NOT NULL REFERENCES auth.people,
  created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at    timestamptz NOT NULL
);

CREATE INDEX password_resets_of_person ON auth.password_resets (person_id, created_at);
CREATE INDEX password_resets_by_expiry ON auth.password_resets (expires_at);

-- Keys for programs that manage an account, or all of them.
CREATE TABLE auth.management_keys (
  -- UUIDv7, so that keys sort by creation.
  management_key_id uuid PRIMARY KEY,
  -- NULL: of operators.
  account_id        uuid REFERENCES auth.accounts,
  name              text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  role              text NOT NULL CHECK (role IN ('operator', 'owner', 'admin', 'developer', 'billing')),
  -- SHA-256 of the whole key. The key itself is stored nowhere.
  key_sha256        bytea NOT NULL UNIQUE CHECK (octet_length(key_sha256) = 32),
  display_prefix    text NOT NULL,
  last_four         text NOT NULL,
  created_by_name   text NOT NULL,
  created_at        timestamptz NOT NULL DEFAULT now(),
  expires_at        timestamptz NOT NULL,
  -- Set once: a deleted key stays listed.
  deleted_at        timestamptz,
  last_used_at      timestamptz,
  CHECK ((account_id IS NULL) = (role = 'operator'))
);

CREATE INDEX management_keys_of_account ON auth.management_keys (account_id, management_key_id DESC);

-- Who created a key: a person or a management key, and their name then. NULL: an operator at the command line.
ALTER TABLE auth.keys
  ADD COLUMN created_by_id uuid,
  ADD COLUMN created_by_name text NOT NULL DEFAULT '';

CREATE INDEX keys_of_creator ON auth.keys (created_by_id, account_id, key_id DESC) WHERE created_by_id IS NOT NULL;
CREATE INDEX keys_by_last_four ON auth.keys (last_four, key_id DESC);

-- A UUIDv7 (RFC 9562) of a time. Made here, so that entries of all services sort by the clock of the database.
CREATE FUNCTION auth.uuid_of_time(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  -- A random UUIDv4 with the milliseconds in its first 48 bits; two more bits make its version a 7.
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              PLACING substring(int8send(floor(extract(epoch FROM at) * 1000)::bigint) FROM 3)
              FROM 1 FOR 6),
      52, 1), 53, 1), 'hex')::uuid
$$;

-- Every change that a person or program made, recorded in its transaction.
CREATE TABLE auth.audit (
  -- UUIDv7 of the time of the change.
  entry_id    uuid PRIMARY KEY DEFAULT auth.uuid_of_time(clock_timestamp()),
  -- NULL for changes that concern no account.
  account_id  uuid,
  -- The person or management key; NULL for an operator at the command line.
  actor_id    uuid,
  actor_name  text NOT NULL,
  -- Empty for people who change only themselves.
  actor_role  text NOT NULL,
  actor_via   text NOT NULL,
  action      text NOT NULL,
  target_id   text NOT NULL,
  target_name text NOT NULL,
  -- An object of texts. Never a secret.
  details     jsonb NOT NULL CHECK (jsonb_typeof(details) = 'object')
);

CREATE INDEX audit_of_account ON auth.audit (account_id, entry_id);
CREATE INDEX audit_of_actor ON auth.audit (actor_id, entry_id);
CREATE INDEX audit_of_target ON auth.audit (target_id, entry_id);

CREATE FUNCTION auth.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entries of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON auth.audit
  FOR EACH STATEMENT EXECUTE FUNCTION auth.refuse_change();

-- For operators, and to show how a change spreads.
ALTER TABLE auth.watchers
  ADD COLUMN ingress_name text NOT NULL DEFAULT '',
  ADD COLUMN first_seen_at timestamptz NOT NULL DEFAULT now();

-- When an ingress had applied every revocation up to a sequence number. Kept as long as revocations.
CREATE TABLE auth.confirmations (
  watcher_id   uuid NOT NULL,
  sequence     bigint NOT NULL,
  confirmed_at timestamptz NOT NULL,
  PRIMARY KEY (watcher_id, sequence)
);
