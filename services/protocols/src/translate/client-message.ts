import type { UpstreamError } from '../interface/errors.ts';

/** Used if a provider sends no reason. */
const NO_REASON = 'The provider of this model refused the request.';

/** A name, or a path of names and indices in either notation: `messages[1].content[0]`, `messages.1.content.0`. */
const PATH = /[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z0-9_$]+|\[\d+\])*/g;

/** Prefixes of paths at some providers. */
const ROOTS: ReadonlySet<string> = new Set(['body', 'request', 'generatecontentrequest']);

/**
 * Rewrites a provider's message about a request with the client's field names. The provider may write a path with dots or
 * brackets, in camel case or snake case, and deeper than the recorded ones: the longest known prefix is replaced.
 *
 * @param places the client's names by upstream path, see Diagnostics
 */
export function clientMessage(error: UpstreamError, places: ReadonlyMap<string, string>): string {
  const known = new Map<string, string>();
  for (const [path, at] of places) known.set(segmentsOf(path).join('.'), at);
  const words = error.message === '' ? NO_REASON : error.message;
  const message = words.replace(PATH, (found, at: number) => {
    if (!isFieldName(found, words, at, error.param)) return found;
    return placeOf(found, known) ?? found;
  });
  const field = error.param === '' ? undefined : placeOf(error.param, known);
  return field === undefined || message.includes(field) ? message : `${field}: ${message}`;
}

/** Maximum depth of a path; a provider's message can have any number of dots. */
const MAX_SEGMENTS = 32;

function placeOf(path: string, known: ReadonlyMap<string, string>): string | undefined {
  const segments = segmentsOf(path);
  if (ROOTS.has(segments[0] ?? '') && segments.length > 1) segments.shift();
  for (let length = Math.min(segments.length, MAX_SEGMENTS); length > 0; length--) {
    const at = known.get(segments.slice(0, length).join('.'));
    if (at !== undefined) return at;
  }
  return undefined;
}

/** The names and indices of a path; names in one notation, since Google's messages have snake case for camel case. */
function segmentsOf(path: string): string[] {
  return path
    .split(/[.[\]]/)
    .filter((segment) => segment !== '')
    .map((segment) => segment.replaceAll('_', '').toLowerCase());
}

/** Whether a word of a message is a field name: `stop` and `user` are English words too. */
function isFieldName(word: string, message: string, at: number, param: string): boolean {
  if (word === param || /[._[\]]|[a-z][A-Z]/.test(word)) return true;
  const after = message[at + word.length] ?? '';
  if (at === 0) return after === ':';
  const before = message[at - 1] ?? '';
  return before === after && (before === "'" || before === '"' || before === '`');
}
