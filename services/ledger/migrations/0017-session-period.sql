-- Ceilings of sessions as clients name them, such as runs of agents.
ALTER TYPE ledger.cap_period ADD VALUE 'session';
