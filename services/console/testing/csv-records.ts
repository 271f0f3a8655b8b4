import { parse } from 'csv-parse/sync';

/** The records of a CSV file, by the names of their columns. */
export function csvRecords(content: string | Uint8Array): Record<string, string>[] {
  return parse(Buffer.from(content), { columns: true });
}
