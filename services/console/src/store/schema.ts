import { fileURLToPath } from 'node:url';

/** The Postgres schema that this service owns. */
export const SCHEMA = 'console';

/** The folder of its migrations. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));
