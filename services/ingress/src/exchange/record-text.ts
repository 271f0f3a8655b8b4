import type { ReportedFigures } from '@tollgate/protocols/canonical/usage';
import type { Redact } from './upstream/redaction.ts';

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

/** Even if every character is escaped, figures of this length fit into what the ledger accepts. */
const MAX_FIGURE_CHARACTERS = 16;

/**
 * Implausible figures for records and spans: a JSON object by bucket, without control characters and never longer than
 * MAX_REPORTED_USAGE_LENGTH. Numbers and booleans are kept, texts are cut, and objects and arrays are only named as such.
 */
export function reportedUsageText(figures: ReportedFigures, redact: Redact): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(figures).map(([bucket, figure]) => [bucket, keptFigure(figure, redact)])),
  );
}

function keptFigure(figure: unknown, redact: Redact): string | number | boolean {
  if (typeof figure === 'object') return Array.isArray(figure) ? 'array' : 'object';
  const text = recordText(String(figure), redact);
  const isPlain = typeof figure === 'boolean' || (typeof figure === 'number' && Number.isFinite(figure));
  // A credential may look like a number.
  if (isPlain && text === String(figure)) return figure;
  return text.slice(0, MAX_FIGURE_CHARACTERS).toWellFormed();
}
