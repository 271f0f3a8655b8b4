-- Spending of a cap is reported at 50, 75, 90 and 100 percent. 80 is what the previous release reported.
ALTER TABLE ledger.ceilings DROP CONSTRAINT caps_alerted_percent_check;
ALTER TABLE ledger.ceilings
  ADD CONSTRAINT ceilings_alerted_percent_check CHECK (alerted_percent IN (0, 50, 75, 80, 90, 100)) NOT VALID;
COMMENT ON COLUMN ledger.ceilings.alerted_percent IS
  'The part of the limit whose spending an event has reported, in percent; 0: none. At 100, all is spent or requests are refused.';
