-- Sign-ins of the command line (RFC 8628) that wait until a person has confirmed them, and the kind of each session.

CREATE TABLE console.device_authorizations (
  -- SHA-256 of the code with which the command line asks, and of the one that a person types.
  device_code_sha256 bytea PRIMARY KEY CHECK (octet_length(device_code_sha256) = 32),
  user_code_sha256   bytea NOT NULL UNIQUE CHECK (octet_length(user_code_sha256) = 32),
  -- What asks, and where from, as shown to the person.
  device             text NOT NULL CHECK (char_length(device) <= 200),
  ip_address         text NOT NULL CHECK (char_length(ip_address) <= 100),
  created_at         timestamptz NOT NULL DEFAULT now(),
  expires_at         timestamptz NOT NULL,
  -- Seconds that have to pass between two questions, and when the last one was.
  interval_s         integer NOT NULL,
  asked_at           timestamptz,
  is_denied          boolean NOT NULL DEFAULT false,
  -- Who has confirmed it; NULL: nobody yet.
  person_id          uuid,
  session_generation integer
);
CREATE INDEX device_authorizations_by_expiry ON console.device_authorizations (expires_at);

-- A browser presents its session in a cookie, the command line as a bearer token.
ALTER TABLE console.sessions ADD COLUMN kind text NOT NULL DEFAULT 'browser' CHECK (kind IN ('browser', 'command_line'));
