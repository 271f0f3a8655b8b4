/** A live key as the cache and the ingress know it. */
export interface CachedKey {
  keyId: string;
  keyName: string;
  accountId: string;
  accountTag: string;
  /** Unix milliseconds; 0: never. */
  expiresAtMs: number;
  /** Model ids the key may call; empty: all. */
  allowedModels: readonly string[];
}

/** The form of the text; another number is another form, and is not read. */
const FORM = 1;

/** The text of a live key in the cache. The account tag is left out: it stands in the entry's name. */
export function encodeRecord(key: CachedKey): string {
  return JSON.stringify([FORM, key.keyId, key.keyName, key.accountId, key.expiresAtMs, key.allowedModels]);
}

/**
 * Reads what `encodeRecord` wrote; undefined for anything else, such as another form. Written by hand, as it runs for
 * every request.
 */
export function decodeRecord(text: string, accountTag: string): CachedKey | undefined {
  const values = parseJson(text);
  if (!Array.isArray(values) || values.length !== 6 || values[0] !== FORM) return undefined;
  const [, keyId, keyName, accountId, expiresAtMs, allowedModels]: unknown[] = values;
  if (typeof keyId !== 'string' || typeof keyName !== 'string' || typeof accountId !== 'string') return undefined;
  if (typeof expiresAtMs !== 'number' || !isStrings(allowedModels)) return undefined;
  return { keyId, keyName, accountId, accountTag, expiresAtMs, allowedModels };
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
