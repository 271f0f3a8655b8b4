import type { Redact } from '../upstream/redaction.ts';

/** Longer than any word of a provider's. */
const MOST_CHARACTERS = 100;

/** What is looked at of a word: enough to find a credential in what is kept of it. */
const MOST_READ = 2_000;

/** An upstream's word as records and spans keep it: short, of whole characters, without control characters. */
export function recordText(word: string, redact: Redact): string {
  return redact(word.slice(0, MOST_READ))
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, MOST_CHARACTERS)
    .toWellFormed();
}
