import { fileURLToPath } from 'node:url';

/** The Postgres schema that auth owns. */
export const SCHEMA = 'auth';

/** Folder of its migrations. */
export const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
