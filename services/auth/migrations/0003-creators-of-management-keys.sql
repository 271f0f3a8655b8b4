-- The person who created a management key, so that it can be found when they leave. NULL: an operator at the command line.
ALTER TABLE auth.management_keys ADD COLUMN created_by_id uuid;

UPDATE auth.management_keys k SET created_by_id = a.actor_id
FROM auth.audit a WHERE a.target_id = k.management_key_id::text AND a.action = 'management_key.create';

CREATE INDEX management_keys_of_creator ON auth.management_keys (created_by_id, account_id)
  WHERE created_by_id IS NOT NULL;
