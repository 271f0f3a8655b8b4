-- Monthly statements of accounts, and the lines that add up to them.

CREATE TYPE ledger.statement_line_kind AS ENUM ('deposit', 'adjustment', 'refund', 'dispute', 'charges', 'expiry');

CREATE TABLE ledger.statements (
  account_id uuid NOT NULL,
  month_ms bigint NOT NULL,
  opening bigint NOT NULL,
  deposits bigint NOT NULL,
  refunds bigint NOT NULL,
  disputes bigint NOT NULL,
  adjustments bigint NOT NULL,
  charges bigint NOT NULL,
  expired bigint NOT NULL,
  closing bigint NOT NULL,
  issued_at_ms bigint NOT NULL,
  PRIMARY KEY (account_id, month_ms),
  CONSTRAINT statements_add_up CHECK (
    closing = opening + deposits + refunds + disputes + adjustments + charges + expired
  )
);
COMMENT ON TABLE ledger.statements IS
  'What moved an account''s balance (available + leased + receivable) in a month (UTC), from the month of its first deposit on, '
  'without a gap. Append-only: what comes late is in the next one. month_ms: the start of the month. opening: closing of the month '
  'before, or 0. All others are signed changes, each the sum of its lines.';

CREATE TABLE ledger.statement_lines (
  account_id uuid NOT NULL,
  month_ms bigint NOT NULL,
  line int NOT NULL,
  kind ledger.statement_line_kind NOT NULL,
  at_ms bigint NOT NULL,
  reference uuid,
  description text,
  model text,
  requests bigint,
  lot_kind ledger.lot_kind,
  ends_at_ms bigint,
  amount bigint NOT NULL,
  PRIMARY KEY (account_id, month_ms, line)
);
COMMENT ON TABLE ledger.statement_lines IS
  'Lines of statements. at_ms: of charges the day (UTC) in which their requests began, also of an earlier month. reference: the '
  'deposit, or the lot that ended. description: the reason of a deposit. model, requests: of charges. lot_kind, ends_at_ms: of the lot that a deposit made, or '
  'that ended.';

CREATE TRIGGER statements_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.statements
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.reject_change();
CREATE TRIGGER statement_lines_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.statement_lines
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.reject_change();

-- The credit of an account that ended in a month. In a ledger with data it is built afterwards, see store/late-indexes.ts.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'ledger.transfers'::regclass) THEN
    CREATE INDEX transfers_expired ON ledger.transfers (account_id, created_at_ms) WHERE reason = 'expiry';
  ELSE
    CREATE INDEX transfers_expired ON ONLY ledger.transfers (account_id, created_at_ms) WHERE reason = 'expiry';
  END IF;
END
$$;
