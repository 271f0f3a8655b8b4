import { runMigrate } from '@tollgate/common/postgres/run-migrate';
import { MIGRATIONS_FOLDER } from '../folders.ts';
import { SCHEMA } from '../store/schema.ts';

runMigrate({
  schema: SCHEMA,
  folder: MIGRATIONS_FOLDER,
  schemas: [SCHEMA, 'ledger_archive'],
  // Lists of events wait for the transactions of all logins that post: another one during a rotation.
  roles: ['pg_read_all_stats'],
});
