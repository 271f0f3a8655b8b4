-- As of the person in auth when they signed in: the session ends when theirs is another one.
ALTER TABLE console.sessions ADD COLUMN session_generation int NOT NULL DEFAULT 1;
