import { fileURLToPath } from 'node:url';

// This file is directly in src, because a bundle of the service is in dist beside it: the paths are right for both.

/** The folder of the migrations. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../migrations', import.meta.url));
