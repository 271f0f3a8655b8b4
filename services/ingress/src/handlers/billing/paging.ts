import { hash } from 'node:crypto';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { integerWithin, optionalText, type Query } from './query.ts';

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
