import { fileURLToPath } from 'node:url';

/** The Postgres schema that auth owns. */
export const SCHEMA = 'auth';

/** Folder of its migrations. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));
