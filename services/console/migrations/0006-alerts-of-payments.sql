-- The last event of payments whose e-mails were sent. One row. A table of its own: consoles of the version before read all rows of
-- console.alert_cursor.
CREATE TABLE console.payments_alert_cursor (
  only_row bool PRIMARY KEY DEFAULT true CHECK (only_row),
  event_id uuid NOT NULL
);
