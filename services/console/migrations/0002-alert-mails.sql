-- E-mails about events of the ledger, one row for each event and recipient. Addresses stay in auth.
CREATE TABLE console.alert_mails (
  event_id        uuid NOT NULL,
  person_id       uuid NOT NULL,
  account_id      uuid NOT NULL,
  -- As of the event.
  type            text NOT NULL,
  data            jsonb NOT NULL,
  happened_at     timestamptz NOT NULL,
  -- The account has had its maximum of such e-mails of a day with this one; the e-mail says so.
  is_last_of_day  boolean NOT NULL,
  -- pending; sent; rejected: the server refuses this recipient; withdrawn: the person is no recipient any more; given_up:
  -- it was not accepted within a day.
  state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'rejected', 'withdrawn', 'given_up')),
  attempts        int NOT NULL DEFAULT 0,
  -- A replica postpones it before it sends the e-mail, so that no other replica sends it too.
  next_attempt_at timestamptz DEFAULT clock_timestamp(),
  ended_at        timestamptz,
  PRIMARY KEY (event_id, person_id),
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL) AND (state = 'pending') = (ended_at IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX alert_mails_pending ON console.alert_mails (next_attempt_at) WHERE state = 'pending';
CREATE INDEX alert_mails_ended ON console.alert_mails (ended_at) WHERE state <> 'pending';
CREATE INDEX alert_mails_of_account ON console.alert_mails (account_id, happened_at);
