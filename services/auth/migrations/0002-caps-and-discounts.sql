-- Spending caps of keys and discounts of accounts.

ALTER TABLE auth.accounts
  -- Taken off list prices, parts per million: 150,000 is 15 %.
  ADD COLUMN discount_ppm int NOT NULL DEFAULT 0 CHECK (discount_ppm BETWEEN 0 AND 1000000);

ALTER TABLE auth.keys
  -- The most the key may spend in a day or month of UTC, or in all, nano-dollars; NULL: no cap.
  ADD COLUMN day_cap_nanos   bigint CHECK (day_cap_nanos >= 0),
  ADD COLUMN month_cap_nanos bigint CHECK (month_cap_nanos >= 0),
  ADD COLUMN total_cap_nanos bigint CHECK (total_cap_nanos >= 0),
  -- Grows with every change of the caps, so that of two states of them the later one is known.
  ADD COLUMN revision        bigint NOT NULL DEFAULT 1;
