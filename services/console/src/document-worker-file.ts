import { extname } from 'node:path';

/** The program of the thread that renders documents: beside this file, and beside the bundle that this file is part of. */
export const DOCUMENT_WORKER = new URL(`./document-worker${extname(import.meta.url)}`, import.meta.url);
