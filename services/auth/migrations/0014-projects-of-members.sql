-- Developers who may see and use some projects of an account only.
ALTER TABLE auth.memberships
  -- NULL: all. In the order in which they were given: a key without a project is made in the first.
  ADD COLUMN project_ids uuid[] CHECK (cardinality(project_ids) BETWEEN 1 AND 20);
