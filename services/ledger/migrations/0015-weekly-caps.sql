-- Caps of weeks, which start on Monday in UTC.
ALTER TYPE ledger.cap_period ADD VALUE 'week' BEFORE 'month';
