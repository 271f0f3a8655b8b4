-- The last event of auth whose e-mails were sent. One row, as of payments.
CREATE TABLE console.auth_alert_cursor (
  only_row bool PRIMARY KEY DEFAULT true CHECK (only_row),
  event_id uuid NOT NULL
);
