import { extname } from 'node:path';

/** The program of the thread that parses catalogues: beside this file, and beside the bundle that this file is part of. */
export const CATALOGUE_WORKER = new URL(`./catalogue-worker${extname(import.meta.url)}`, import.meta.url);
