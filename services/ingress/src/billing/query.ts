import { isUuid } from '@tollgate/common/ids';
import { apiErrors } from '../errors/api-error.ts';

const LONGEST_VALUE = 500;
/** Longer names are not repeated in full to who sent them. */
const LONGEST_NAME = 60;

/** Query parameters as express parses them. */
export type Query = Record<string, unknown>;

/**
 * Refuses parameters that a call does not take: a filter that is misspelt would otherwise select more than was asked for.
 */
export function onlyParameters(query: Query, allowed: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  const takes = allowed.length === 0 ? 'it takes none' : `it takes ${allowed.join(', ')}`;
  throw apiErrors.invalidRequest(`${unknown.slice(0, LONGEST_NAME)} is not a parameter of this call; ${takes}.`);
}

/** Reads a parameter that may be given once; undefined when it is absent. */
export function single(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw apiErrors.invalidRequest(`${name} is given more than once.`);
  if (value === '') throw apiErrors.invalidRequest(`${name} is empty; give a value or leave it out.`);
  if (value.length > LONGEST_VALUE)
    throw apiErrors.invalidRequest(`${name} is longer than ${LONGEST_VALUE} characters.`);
  return value;
}

/** Reads a whole number within bounds. */
export function wholeNumber(query: Query, name: string, min: number, max: number, fallback: number): number {
  const text = single(query, name);
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw apiErrors.invalidRequest(`${name} must be a whole number from ${min} to ${max}.`);
  return value;
}

/** Reads one of a closed list of words. */
export function oneOf<T extends string>(query: Query, name: string, allowed: readonly T[]): T | undefined {
  const text = single(query, name);
  if (text === undefined) return undefined;
  const found = allowed.find((word) => word === text);
  if (found === undefined) throw apiErrors.invalidRequest(`${name} must be one of ${allowed.join(', ')}.`);
  return found;
}

/** Reads a list of words parted by commas, each of a closed list. */
export function someOf<T extends string>(query: Query, name: string, allowed: readonly T[]): ReadonlySet<T> {
  const words = single(query, name)?.split(',') ?? [];
  return new Set(
    words.map((word) => {
      const found = allowed.find((candidate) => candidate === word.trim());
      if (found === undefined)
        throw apiErrors.invalidRequest(`${name} may hold ${allowed.join(' and ')}, parted by a comma.`);
      return found;
    }),
  );
}

/** Checks a UUID parameter. */
export function uuid(text: string, name: string): string {
  if (!isUuid(text)) throw apiErrors.invalidRequest(`${name} is not a UUID.`);
  return text.toLowerCase();
}

/** Checks a trace id, dashed as in `x-trace-id` or not as in tracing tools; returns its 32 hex digits. */
export function traceId(text: string, name: string): string {
  if (isUuid(text)) return text.toLowerCase().replaceAll('-', '');
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase();
  throw apiErrors.invalidRequest(`${name} is not a trace id; give the UUID of x-trace-id or its 32 hex digits.`);
}
