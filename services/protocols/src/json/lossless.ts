import { isRecord, type JsonRecord, parseJson } from './record.ts';
import { scanObject } from './scan.ts';

declare global {
  // In Node since 21, in no library of TypeScript's yet. https://tc39.es/proposal-json-parse-with-source/
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** Numbers that JSON.stringify could write differently from the text. Matches inside strings do no harm. */
const PECULIAR_NUMBER = /\d[.eE]|\d{16}|-0/;

/** JSON.stringify is recursive, so deeper objects could not be written again. */
const MAX_DEPTH = 256;

/**
 * Parses a JSON object so that JSON.stringify writes its numbers unchanged: 1.0 stays 1.0, and an id keeps all digits.
 * Such numbers are JSON.rawJSON objects in the value. Undefined if the text is not an object, or is nested deeper than
 * 256 levels.
 */
export function parseLosslessObject(text: string): JsonRecord | undefined {
  if (!text.trimStart().startsWith('{') || isDeep(text)) return undefined;
  const value = PECULIAR_NUMBER.test(text) ? parseWithSources(text) : parseJson(text);
  return isRecord(value) ? value : undefined;
}

/** The number in a value that may be a JSON.rawJSON object. */
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

/** Whether the text has enough opening braces or brackets to be too deep. */
function hasManyOpenings(text: string): boolean {
  let openings = 0;
  for (const opening of ['{', '[']) {
    for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at + 1)) {
      if (++openings > MAX_DEPTH) return true;
    }
  }
  return false;
}
