-- Charges and transfers are never changed or removed. Archived months are tables of their own, so they can be dropped.

-- By row, because these triggers also apply to statements on a partition, and to partitions created later.
CREATE TRIGGER charges_are_append_only BEFORE UPDATE OR DELETE ON ledger.charges
  FOR EACH ROW EXECUTE FUNCTION ledger.reject_change();
CREATE TRIGGER charges_are_not_truncated BEFORE TRUNCATE ON ledger.charges
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.reject_change();
CREATE TRIGGER transfers_are_append_only BEFORE UPDATE OR DELETE ON ledger.transfers
  FOR EACH ROW EXECUTE FUNCTION ledger.reject_change();
CREATE TRIGGER transfers_are_not_truncated BEFORE TRUNCATE ON ledger.transfers
  FOR EACH STATEMENT EXECUTE FUNCTION ledger.reject_change();
