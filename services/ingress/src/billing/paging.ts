import { hash } from 'node:crypto';
import { apiErrors } from '../errors/api-error.ts';
import { type Query, single, wholeNumber } from './query.ts';

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;
/** Characters of the digest that begins a cursor: chance, not an attacker, is what it guards against. */
const DIGEST_LENGTH = 10;
const CURSOR = /^[\w-]{20,200}$/;

/** Which page of a list is asked for. */
export interface Page {
  limit: number;
  /** The ledger's cursor; the empty text for the first page. */
  cursor: string;
  /** What to give for the ledger's next cursor. */
  next: (ledgerCursor: string) => string | null;
}

/**
 * Reads `limit` and `cursor`. A cursor is bound to the list it came from and its filters, among which it would mean
 * something else; not to the range, whose ends move where a program asks for the last hour.
 *
 * @param list the name of the list, its account and its filters
 */
export function pageOf(query: Query, list: readonly string[]): Page {
  const digest = hash('sha256', JSON.stringify(list), 'base64url').slice(0, DIGEST_LENGTH);
  return {
    limit: wholeNumber(query, 'limit', 1, MAX_LIMIT, DEFAULT_LIMIT),
    cursor: cursorOf(query, digest),
    next: (ledgerCursor) => (ledgerCursor === '' ? null : digest + ledgerCursor),
  };
}

function cursorOf(query: Query, digest: string): string {
  // Programs send it empty for the first page.
  const text = query['cursor'] === '' ? undefined : single(query, 'cursor');
  if (text === undefined) return '';
  if (!CURSOR.test(text)) throw apiErrors.invalidRequest('cursor is not a next_cursor of this call.');
  if (!text.startsWith(digest)) {
    throw apiErrors.invalidRequest(
      'cursor belongs to another list; send the filters it came with, or leave it out to begin anew.',
    );
  }
  return text.slice(DIGEST_LENGTH);
}
