-- Lots that end: in this order they are looked at.
DROP INDEX ledger.lots_due;
CREATE INDEX lots_due ON ledger.lots (due_at_ms, account_id, lot_id) WHERE remaining > 0 AND due_at_ms IS NOT NULL;
COMMENT ON TABLE ledger.lots IS
  'Credit by where it came from. It is spent in the order priority (lowest first), ends_at_ms (null last), payment_id (null '
  'first), created_at_ms, lot_id. remaining is as of the last attribution: sum(remaining) - (revenue + operator_loss - '
  'attributed) of the balance = available + leased. spent: charges. taken: refunds, disputes, adjustments and debts. expired: what '
  'ended, in the ledger account breakage. Rows change under the lock of the balance, and remaining only falls.';
