-- Sessions of people in the browser, what signing in needs between two requests, and how far alerts have been mailed.
-- People, roles and passwords are in auth.

CREATE TABLE console.sessions (
  session_id         uuid PRIMARY KEY,
  -- SHA-256 of the value in the cookie, which is stored nowhere.
  token_sha256       bytea NOT NULL UNIQUE CHECK (octet_length(token_sha256) = 32),
  person_id          uuid NOT NULL,
  -- Browser and system, and where from, as shown to the person.
  device             text NOT NULL CHECK (char_length(device) <= 200),
  ip_address         text NOT NULL CHECK (char_length(ip_address) <= 100),
  created_at         timestamptz NOT NULL DEFAULT now(),
  -- Written at most once a minute.
  last_seen_at       timestamptz NOT NULL DEFAULT now(),
  -- The latest end, whatever its use.
  expires_at         timestamptz NOT NULL,
  -- The account that an operator views, read-only; NULL: none.
  view_as_account_id uuid
);
CREATE INDEX sessions_of_person ON console.sessions (person_id, created_at);
CREATE INDEX sessions_by_last_use ON console.sessions (last_seen_at);

-- How many attempts of one kind came from one client or for one address, as a level that falls with time.
CREATE TABLE console.attempts (
  -- SHA-256 of kind and subject: what people type into a field for their address is not kept.
  name_sha256 bytea PRIMARY KEY CHECK (octet_length(name_sha256) = 32),
  level       double precision NOT NULL,
  updated_at  timestamptz NOT NULL
);
CREATE INDEX attempts_by_time ON console.attempts (updated_at);

-- Networks from which an address has signed in: guesses from elsewhere do not lock its owner out.
CREATE TABLE console.known_networks (
  -- SHA-256 of address and network.
  name_sha256 bytea PRIMARY KEY CHECK (octet_length(name_sha256) = 32),
  used_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX known_networks_by_time ON console.known_networks (used_at);

-- Sign-ins with OpenID Connect between leaving for the provider and coming back.
CREATE TABLE console.oidc_flows (
  -- SHA-256 of the value in the browser's cookie.
  flow_sha256   bytea PRIMARY KEY CHECK (octet_length(flow_sha256) = 32),
  state         text NOT NULL,
  nonce         text NOT NULL,
  code_verifier text NOT NULL,
  -- A path of the console.
  return_to     text NOT NULL,
  expires_at    timestamptz NOT NULL
);
CREATE INDEX oidc_flows_by_expiry ON console.oidc_flows (expires_at);

-- The last event of the ledger whose e-mails were sent. One row.
CREATE TABLE console.alert_cursor (
  only_row bool PRIMARY KEY DEFAULT true CHECK (only_row),
  event_id uuid NOT NULL
);
