-- What providers billed, beside what was metered.

CREATE TABLE console.provider_bills (
  provider text NOT NULL,
  day date NOT NULL,
  model text NOT NULL,
  requests bigint NOT NULL,
  billed_input_tokens bigint,
  billed_cache_read_tokens bigint,
  billed_output_tokens bigint,
  billed_cost_nanos bigint,
  metered_input_tokens bigint,
  metered_cache_read_tokens bigint,
  metered_output_tokens bigint,
  metered_cost_nanos bigint,
  differs boolean NOT NULL,
  imported_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (provider, day, model)
);
COMMENT ON TABLE console.provider_bills IS
  'Days (UTC) of a provider''s model: what an imported export of the provider says, and what charges had when it was imported. Null: '
  'not said. differs: beyond the tolerance of the import. Rows are removed 400 days after their day.';
CREATE INDEX provider_bills_by_day ON console.provider_bills (day);
