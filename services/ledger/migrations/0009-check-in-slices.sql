-- Reconciliation checks every account from its rows, in slices. Charges of archived months are proven by their roll-ups.

DO $$
BEGIN
  IF EXISTS (SELECT FROM ledger.reconciliation WHERE archived_until_ms > 0) THEN
    RAISE EXCEPTION 'there are archived months: attach their tables in ledger_archive to ledger.charges and ledger.transfers, '
      'empty ledger.carried_forward and ledger.carried_leases, and set archived_until_ms to 0';
  END IF;
END
$$;

CREATE TABLE ledger.reconciliation_pass (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  began_ms bigint,
  account_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  hour_ms bigint NOT NULL DEFAULT 0,
  accounts bigint NOT NULL DEFAULT 0,
  charges bigint NOT NULL DEFAULT 0,
  transfers bigint NOT NULL DEFAULT 0,
  last_began_ms bigint NOT NULL DEFAULT 0,
  last_ended_ms bigint NOT NULL DEFAULT 0,
  claimed_at timestamptz,
  archived_until_ms bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE ledger.reconciliation_pass IS
  'One row: a pass of reconciliation over all accounts. began_ms: when it began; null: none runs. account_id, hour_ms: where it '
  'continues; accounts before account_id are checked, and hours of its charges before hour_ms. accounts, charges, transfers: '
  'what it has checked. last_began_ms, last_ended_ms: the last complete pass. claimed_at: when a replica last claimed the '
  'scheduled reconciliation. archived_until_ms: charges of months before this are only in the roll-ups.';
INSERT INTO ledger.reconciliation_pass DEFAULT VALUES;

-- The previous release still uses these; a later migration drops them.
COMMENT ON TABLE ledger.reconciliation IS 'Not used; see reconciliation_pass.';
COMMENT ON TABLE ledger.reconciled IS 'Not used.';
COMMENT ON TABLE ledger.reconciled_leases IS 'Not used.';
COMMENT ON TABLE ledger.reconciled_hours IS 'Not used.';
COMMENT ON TABLE ledger.carried_forward IS 'Not used.';
COMMENT ON TABLE ledger.carried_leases IS 'Not used.';
COMMENT ON VIEW ledger.entries IS 'Not used.';
COMMENT ON COLUMN ledger.findings.checked_by IS 'Not used: always full.';
