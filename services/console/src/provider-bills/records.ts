import { Readable } from 'node:stream';
import { parse } from 'csv-parse';

/** One row of an export: the names of its columns in lower case, with dots for nested JSON. */
export type BillRecord = ReadonlyMap<string, string>;

/** Characters that are parsed in one turn of the event loop. */
const CHUNK = 65_536;
/** Nesting of JSON whose fields become columns. */
const MAX_DEPTH = 4;

/** A line that is neither JSON nor CSV. */
export class UnreadableExport extends Error {}

/** The rows of an export: CSV with a header line, JSON as an API returns it (also several pages), or one JSON object a line. */
export async function* readRecords(content: string): AsyncGenerator<BillRecord> {
  const text = content.trim();
  if (text.startsWith('{') || text.startsWith('[')) yield* recordsOfJson(parseJson(text));
  else yield* recordsOfCsv(text);
}

async function* recordsOfCsv(text: string): AsyncGenerator<BillRecord> {
  const lowerCase = (header: string[]) => header.map((name) => name.trim().toLowerCase().replaceAll(' ', '_'));
  const parser = Readable.from(chunksOf(text)).pipe(
    parse({ bom: true, columns: lowerCase, relax_column_count: true, skip_empty_lines: true, trim: true }),
  );
  try {
    for await (const row of parser as AsyncIterable<Record<string, string>>) yield new Map(Object.entries(row));
  } catch (error) {
    throw new UnreadableExport('it is neither CSV nor JSON', { cause: error });
  }
}

function* chunksOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += CHUNK) yield text.slice(start, start + CHUNK);
}

/** JSON with numbers as they are written, so that no amount passes through a float. */
function parseJson(text: string): unknown {
  const asWritten = (_name: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value;
  try {
    return JSON.parse(text, asWritten);
  } catch (whole) {
    try {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return lines.map((line): unknown => JSON.parse(line, asWritten));
    } catch {
      throw new UnreadableExport('it is neither JSON nor one JSON object a line', { cause: whole });
    }
  }
}

/**
 * Pages are `{data: [...]}`; in them, buckets of time are `{start..., results: [...]}`, whose fields belong to each result. A
 * bucket without results is a row of its own: the export covers it.
 */
function* recordsOfJson(value: unknown): Generator<BillRecord> {
  if (Array.isArray(value)) {
    for (const each of value) yield* recordsOfJson(each);
    return;
  }
  if (!isObject(value)) throw new UnreadableExport('its JSON has values that are no objects');
  const { data, results, ...fields } = value;
  if (Array.isArray(data)) {
    yield* recordsOfJson(data);
    return;
  }
  const rows: unknown[] = Array.isArray(results) && results.length > 0 ? results : [{}];
  for (const row of rows) {
    if (!isObject(row)) throw new UnreadableExport('its results are no objects');
    const record = new Map<string, string>();
    flatten(record, '', { ...fields, ...row }, MAX_DEPTH);
    yield record;
  }
}

function flatten(record: Map<string, string>, prefix: string, value: unknown, depth: number): void {
  if (isObject(value) && depth > 0) {
    for (const [name, field] of Object.entries(value)) {
      flatten(record, prefix === '' ? name.toLowerCase() : `${prefix}.${name.toLowerCase()}`, field, depth - 1);
    }
  } else if (typeof value === 'string' || typeof value === 'boolean') record.set(prefix, String(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
