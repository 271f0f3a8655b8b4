-- Whether owners and billing members of an account get e-mails about its money.
ALTER TABLE auth.accounts ADD COLUMN alert_mails boolean NOT NULL DEFAULT true;
