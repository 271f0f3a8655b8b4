-- Operators find refused requests of all accounts by their trace.
CREATE INDEX refusals_by_trace ON ledger.refusals (trace_id);
