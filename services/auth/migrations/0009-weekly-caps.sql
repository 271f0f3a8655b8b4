-- The maximum a key may spend in a week of UTC, which starts on Monday, nano-dollars; NULL: no cap.
ALTER TABLE auth.keys ADD COLUMN week_cap_nanos bigint CHECK (week_cap_nanos >= 0);
