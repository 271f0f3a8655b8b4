-- What people of an account are mailed. Written one after the other, so that a reader who continues after the last one misses none.
CREATE TABLE auth.events (
  -- A UUIDv7 of created_at_ms.
  event_id      uuid PRIMARY KEY,
  account_id    uuid NOT NULL,
  type          text NOT NULL,
  data          jsonb NOT NULL,
  created_at_ms bigint NOT NULL UNIQUE
);
CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON auth.events
  FOR EACH STATEMENT EXECUTE FUNCTION auth.refuse_change();
