import type { Redact } from '../upstream/redaction.ts';

/** Longer than any finish reason of a provider. */
const MAX_CHARACTERS = 100;

/** Characters that are redacted before the text is cut: enough to find a credential in the part that is kept. */
const MAX_REDACTED_CHARACTERS = 2_000;

/** An upstream's text for records and spans: redacted, short, well-formed and without control characters. */
export function recordText(text: string, redact: Redact): string {
  return redact(text.slice(0, MAX_REDACTED_CHARACTERS))
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, MAX_CHARACTERS)
    .toWellFormed();
}
