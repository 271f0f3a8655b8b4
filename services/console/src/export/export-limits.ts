/** Limits of exports of one process. */
export interface ExportLimits {
  /** Beyond this and `maxMs` the connection is cut, so that nobody takes a part of the file for all of it. */
  maxRows: number;
  maxMs: number;
  /** Exports that run at the same time: of all, of one account, and of one person or management key. */
  maxOpen: number;
  maxOpenOfAccount: number;
  maxOpenOfPerson: number;
  /** A client must read this much in each `minBytesMs` in which it is waited for, or is cut off too. */
  minBytes: number;
  minBytesMs: number;
}

export const EXPORT_LIMITS: ExportLimits = {
  maxRows: 1_000_000,
  maxMs: 600_000,
  maxOpen: 10,
  maxOpenOfAccount: 4,
  maxOpenOfPerson: 2,
  minBytes: 1_048_576,
  minBytesMs: 60_000,
};

/** Rows that are read, rendered and sent at a time: the memory of an export. */
export const EXPORT_PAGE_ROWS = 500;
