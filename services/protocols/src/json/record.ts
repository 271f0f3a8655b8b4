/** A JSON object of unknown shape. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const EMPTY: JsonRecord = Object.freeze({});

/** The value if it is an object, else an empty one. */
export function recordOr(value: unknown): JsonRecord {
  return isRecord(value) ? value : EMPTY;
}

/** The value if it is a string, else an empty one. */
export function stringOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The value if it is an exact integer of at least 0. */
export function nonNegativeInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Whether a member has a value other than null, which providers take for absent. */
export function isSet<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
