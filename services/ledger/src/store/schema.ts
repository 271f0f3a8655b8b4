import { fileURLToPath } from 'node:url';

/** Where the migrations of the schema `ledger` lie. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** The Postgres schema this service owns. */
export const SCHEMA = 'ledger';
