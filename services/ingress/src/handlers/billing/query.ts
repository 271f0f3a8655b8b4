import { hash } from 'node:crypto';
import { isUuid } from '@tollgate/common/ids';
import { apiErrors } from '../../shared/errors/api-error.ts';

const MAX_VALUE_CHARACTERS = 500;
/** Longer parameter names are truncated in messages. */
const MAX_NAME_CHARACTERS = 60;

/** Query parameters as express parses them. */
export type Query = Record<string, unknown>;

/**
 * Rejects parameters that a call does not take: a misspelt filter would otherwise select more than requested.
 */
export function rejectUnknownParameters(query: Query, allowed: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  const takes = allowed.length === 0 ? 'it takes none' : `it takes ${allowed.join(', ')}`;
  throw apiErrors.invalidRequest(`${unknown.slice(0, MAX_NAME_CHARACTERS)} is not a parameter of this call; ${takes}.`);
}

/** Parses a parameter that may be given once; undefined when it is absent. */
export function optionalText(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw apiErrors.invalidRequest(`${name} is given more than once.`);
  if (value === '') throw apiErrors.invalidRequest(`${name} is empty; give a value or leave it out.`);
  if (value.length > MAX_VALUE_CHARACTERS)
    throw apiErrors.invalidRequest(`${name} is longer than ${MAX_VALUE_CHARACTERS} characters.`);
  return value;
}

/** A tag of keys; the name is empty for none. */
export interface Tag {
  name: string;
  value: string;
}

/** Parses `name=value`. No name of a tag has an equals sign, so the first one ends it. */
export function optionalTag(query: Query, name: string): Tag {
  const text = optionalText(query, name);
  if (text === undefined) return { name: '', value: '' };
  const end = text.indexOf('=');
  if (end < 1) throw apiErrors.invalidRequest(`${name} must be the name and the value of a tag, such as team=search.`);
  return { name: text.slice(0, end), value: text.slice(end + 1) };
}

/** Parses an integer within bounds. */
export function integerWithin(query: Query, name: string, min: number, max: number, fallback: number): number {
  const text = optionalText(query, name);
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw apiErrors.invalidRequest(`${name} must be an integer from ${min} to ${max}.`);
  return value;
}

/** Parses one of a list of words. */
export function optionalOneOf<T extends string>(query: Query, name: string, allowed: readonly T[]): T | undefined {
  const text = optionalText(query, name);
  if (text === undefined) return undefined;
  const found = allowed.find((word) => word === text);
  if (found === undefined) throw apiErrors.invalidRequest(`${name} must be one of ${allowed.join(', ')}.`);
  return found;
}

/** Parses a comma-separated list of words, each from a list of allowed words. */
export function commaSeparated<T extends string>(query: Query, name: string, allowed: readonly T[]): ReadonlySet<T> {
  const words = optionalText(query, name)?.split(',') ?? [];
  return new Set(
    words.map((word) => {
      const found = allowed.find((candidate) => candidate === word.trim());
      if (found === undefined)
        throw apiErrors.invalidRequest(`${name} must be a comma-separated list of ${allowed.join(' and ')}.`);
      return found;
    }),
  );
}

/** Checks a UUID parameter. */
export function parseUuid(text: string, name: string): string {
  if (!isUuid(text)) throw apiErrors.invalidRequest(`${name} is not a UUID.`);
  return text.toLowerCase();
}

/** Checks a trace id, dashed as in `x-trace-id` or not as in tracing tools; returns its 32 hex digits. */
export function parseTraceId(text: string, name: string): string {
  if (isUuid(text)) return text.toLowerCase().replaceAll('-', '');
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase();
  throw apiErrors.invalidRequest(`${name} is not a trace id; give the UUID of x-trace-id or its 32 hex digits.`);
}

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;
/** Characters of the digest at the start of a cursor, which protects against mistakes, not attackers. */
const DIGEST_LENGTH = 10;
const CURSOR = /^[\w-]{20,200}$/;

/** The requested page of a list. */
export interface Page {
  limit: number;
  /** The ledger's cursor; empty for the first page. */
  cursor: string;
  /** The client's cursor for the ledger's next one. */
  nextCursor: (ledgerCursor: string) => string | null;
}

/**
 * Parses `limit` and `cursor`. A cursor only works for its list and filters; it is not bound to the time range, whose ends
 * move when a program requests the last hour.
 *
 * @param list the list's name, its account and its filters
 */
export function parsePage(query: Query, list: readonly string[]): Page {
  const digest = hash('sha256', JSON.stringify(list), 'base64url').slice(0, DIGEST_LENGTH);
  return {
    limit: integerWithin(query, 'limit', 1, MAX_LIMIT, DEFAULT_LIMIT),
    cursor: cursorOf(query, digest),
    nextCursor: (ledgerCursor) => (ledgerCursor === '' ? null : digest + ledgerCursor),
  };
}

function cursorOf(query: Query, digest: string): string {
  // Some programs send an empty cursor for the first page.
  const text = query['cursor'] === '' ? undefined : optionalText(query, 'cursor');
  if (text === undefined) return '';
  if (!CURSOR.test(text))
    throw apiErrors.invalidRequest('cursor is not a valid next_cursor. Send the one from the previous page.');
  if (!text.startsWith(digest)) {
    throw apiErrors.invalidRequest(
      'cursor belongs to another list. Send it with the same filters, or leave it out to start over.',
    );
  }
  return text.slice(DIGEST_LENGTH);
}
