import { runMigrate } from '@tollgate/common/postgres/run-migrate';
import { MIGRATIONS_FOLDER } from '../folders.ts';
import { SCHEMA } from '../store/schema.ts';

runMigrate({ schema: SCHEMA, folder: MIGRATIONS_FOLDER, schemas: [SCHEMA], roles: [] });
