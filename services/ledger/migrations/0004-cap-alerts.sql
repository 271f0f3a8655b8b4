-- Alerts about caps of keys.

ALTER TYPE ledger.event_type ADD VALUE 'cap.low';
ALTER TYPE ledger.event_type ADD VALUE 'cap.reached';

ALTER TABLE ledger.caps
  ADD COLUMN alerted_percent smallint NOT NULL DEFAULT 0 CHECK (alerted_percent IN (0, 80, 100));
COMMENT ON COLUMN ledger.caps.alerted_percent IS
  'The part of the limit whose spending an event has reported: 0, 80, or 100 percent. At 100, all is spent or requests are '
  'refused.';
