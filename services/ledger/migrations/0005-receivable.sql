-- Money that an account owes, and events about balances.
ALTER TYPE ledger.deposit_kind ADD VALUE 'dispute';
ALTER TYPE ledger.transfer_reason ADD VALUE 'dispute';
