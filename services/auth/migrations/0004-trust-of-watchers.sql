-- How long each ingress may trust cached keys after a ping, so that replicas of auth may differ in TRUST_MS.

-- The longest time that any auth has granted the ingress, in milliseconds; 0 where an auth of the version before granted it.
-- heartbeat_at is for people alone from here on: whether an ingress is silent follows from its row staying as it is.
ALTER TABLE auth.watchers ADD COLUMN trust_ms int NOT NULL DEFAULT 0;
