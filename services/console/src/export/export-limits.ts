/** Limits of one export: beyond them its connection is closed, so that nobody takes a part of the file for all of it. */
export const MAX_EXPORT_ROWS = 1_000_000;
export const MAX_EXPORT_MS = 600_000;

/** Rows that are read, rendered and sent at a time: the memory of an export. */
export const EXPORT_PAGE_ROWS = 500;

/** Exports that one process sends at the same time; further ones are refused. */
export const MAX_OPEN_EXPORTS = 10;
