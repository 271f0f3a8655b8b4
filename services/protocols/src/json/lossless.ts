import { isRecord, type JsonRecord, parseJson } from './record.ts';
import { scanObject } from './scan.ts';

declare global {
  // In Node since 21, in no library of TypeScript's yet. https://tc39.es/proposal-json-parse-with-source/
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** Numbers that a double could spell otherwise than the text does. It may find some in strings, which does no harm. */
const PECULIAR_NUMBER = /\d[.eE]|\d{16}|-0/;

/** Deeper objects could not be written again: JSON.stringify calls itself. */
const MAX_DEPTH = 256;

/**
 * The object of a JSON text, whose numbers JSON.stringify writes again as they stood: 1.0 stays 1.0, and all digits of an
 * id stay. Such numbers are no numbers in the value but what JSON.rawJSON makes of them. Undefined when the text is no
 * object, or one nested deeper than 256.
 */
export function parseLosslessObject(text: string): JsonRecord | undefined {
  if (!text.trimStart().startsWith('{') || isDeep(text)) return undefined;
  const value = PECULIAR_NUMBER.test(text) ? parseWithSources(text) : parseJson(text);
  return isRecord(value) ? value : undefined;
}

/** The number of a value that may be one of those. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const raw = isRecord(value) ? value['rawJSON'] : undefined;
  return typeof raw === 'string' && raw !== '' ? Number(raw) : undefined;
}

function parseWithSources(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
      const source = context?.source;
      return typeof value !== 'number' || source === undefined || String(value) === source
        ? value
        : JSON.rawJSON(source);
    });
  } catch {
    return undefined;
  }
}

function isDeep(text: string): boolean {
  if (!hasManyOpenings(text)) return false;
  const scanned = scanObject(Buffer.from(text), { maxDepth: MAX_DEPTH, uniqueKeys: false, within: [] });
  return !scanned.ok && scanned.error.kind === 'too_deep';
}

/** Whether so many braces and brackets open that the text could be too deep. */
function hasManyOpenings(text: string): boolean {
  let openings = 0;
  for (const opening of ['{', '[']) {
    for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at + 1)) {
      if (++openings > MAX_DEPTH) return true;
    }
  }
  return false;
}
