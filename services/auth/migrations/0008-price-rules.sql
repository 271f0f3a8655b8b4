-- Prices of an account's own: [{"model": "claude-*", "markupPpm": 200000}, …]. The first rule for a model applies.
ALTER TABLE auth.accounts ADD COLUMN price_rules jsonb NOT NULL DEFAULT '[]'
  CHECK (jsonb_typeof(price_rules) = 'array' AND jsonb_array_length(price_rules) <= 50);
