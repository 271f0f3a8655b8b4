-- Credit lots: which credit of an account is spent first, may be refunded, and ends.

ALTER TYPE ledger.side ADD VALUE 'breakage';
ALTER TYPE ledger.transfer_reason ADD VALUE 'expiry';
ALTER TYPE ledger.event_type ADD VALUE 'credit.expiring';
ALTER TYPE ledger.event_type ADD VALUE 'credit.expired';

-- Existing accounts keep attributed null, so no row is rewritten; their first movement of credit gives them a lot.
ALTER TABLE ledger.balances
  ADD COLUMN breakage bigint NOT NULL DEFAULT 0 CHECK (breakage >= 0),
  ADD COLUMN attributed bigint;
ALTER TABLE ledger.balances
  ALTER COLUMN attributed SET DEFAULT 0,
  DROP CONSTRAINT balances_sum_to_zero,
  ADD CONSTRAINT balances_sum_to_zero CHECK (
    available + leased + revenue + deposits + adjustments + receivable + operator_loss + breakage = 0
  );
COMMENT ON COLUMN ledger.balances.breakage IS 'Credit that ended before it was spent.';
COMMENT ON COLUMN ledger.balances.attributed IS
  'How much of what was charged (revenue + operator_loss) is counted as spent in ledger.lots. The rest was charged since the last '
  'movement of credit, and is attributed by the next one: until then it leaves the set and order of the lots as they are. '
  'Null: there are no lots yet, and all credit counts as one paid lot without an end.';

CREATE TYPE ledger.lot_kind AS ENUM ('paid', 'granted', 'contractual');

CREATE TABLE ledger.lots (
  account_id uuid NOT NULL,
  lot_id uuid NOT NULL,
  payment_id uuid,
  kind ledger.lot_kind NOT NULL,
  priority smallint NOT NULL,
  ends_at_ms bigint,
  created_at_ms bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  remaining bigint NOT NULL CHECK (remaining >= 0),
  spent bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
  taken bigint NOT NULL DEFAULT 0 CHECK (taken >= 0),
  expired bigint NOT NULL DEFAULT 0 CHECK (expired >= 0),
  due_at_ms bigint,
  PRIMARY KEY (account_id, lot_id),
  CONSTRAINT lots_add_up CHECK (amount = remaining + spent + taken + expired)
) WITH (fillfactor = 70);
COMMENT ON TABLE ledger.lots IS
  'Credit by where it came from. It is spent in the order priority (lowest first), ends_at_ms (null last), created_at_ms, '
  'lot_id. remaining is as of the last attribution: sum(remaining) - (revenue + operator_loss - attributed) of the balance = '
  'available + leased. spent: charges. taken: refunds, disputes, adjustments and debts. expired: what ended. Rows change under '
  'the lock of the balance, and remaining only falls.';
COMMENT ON COLUMN ledger.lots.lot_id IS
  'The deposit that made it; a new id for credit that was not in lots: from before there were any, or made by an older release.';
COMMENT ON COLUMN ledger.lots.payment_id IS
  'The deposit whose refunds and disputes take it: its own, or the payment whose refund failed or whose dispute was won. Null: '
  'credit that was not in lots, of whatever payments.';
COMMENT ON COLUMN ledger.lots.due_at_ms IS
  'When something is to be done about its end: notice of it, or what ends; null: it has no end.';
CREATE INDEX lots_open ON ledger.lots (account_id) WHERE remaining > 0;
CREATE INDEX lots_due ON ledger.lots (due_at_ms) WHERE remaining > 0 AND due_at_ms IS NOT NULL;
