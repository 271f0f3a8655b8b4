-- Grows with each change of the person's password, which ends the sessions of earlier generations.
ALTER TABLE auth.people ADD COLUMN session_generation int NOT NULL DEFAULT 1;
