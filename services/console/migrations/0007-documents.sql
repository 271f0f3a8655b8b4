-- What statements and receipts say of whom they are from and for.

CREATE TABLE console.documents (
  number text PRIMARY KEY,
  account_id uuid NOT NULL,
  issuer jsonb NOT NULL,
  recipient jsonb NOT NULL,
  first_read_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE console.documents IS
  'Statements and receipts that somebody has downloaded: their issuer and recipient as they were at the first time, with which they are '
  'rendered ever after. What else they say is in the ledger, and never changes either. Append-only.';

CREATE FUNCTION console.reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of %.% are never changed or removed', TG_TABLE_SCHEMA, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER documents_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON console.documents
  FOR EACH STATEMENT EXECUTE FUNCTION console.reject_change();
