-- Whether the console mailed the link to the address, so that whoever has it reads its mailbox.
ALTER TABLE auth.invitations ADD COLUMN mailed boolean NOT NULL DEFAULT false;
ALTER TABLE auth.password_resets ADD COLUMN mailed boolean NOT NULL DEFAULT false;

-- Whether whoever set the password had proven that the address is theirs. Of passwords from before that is not known.
ALTER TABLE auth.people ADD COLUMN password_proven boolean NOT NULL DEFAULT false;
