import { fileURLToPath } from 'node:url';

/** The folder of the migrations of the schema `ledger`. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** The Postgres schema that this service owns. */
export const SCHEMA = 'ledger';
