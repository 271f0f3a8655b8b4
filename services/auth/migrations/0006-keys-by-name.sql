-- Operators find keys of all accounts by the beginning of their name.
CREATE INDEX keys_by_name ON auth.keys (lower(name) COLLATE "C", key_id DESC);
