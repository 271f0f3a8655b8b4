import type { ReportedFigures } from '@tollgate/protocols/usage';
import type { Redact } from '../upstream/redaction.ts';
import { recordText } from './record-text.ts';

/** So many characters of each bucket's figure, every one of them escaped, are within what the ledger takes. */
const MOST_CHARACTERS = 20;

/**
 * Figures that were not believed, as records and spans keep them: a JSON object by bucket, without control characters and
 * never longer than LONGEST_REPORTED_USAGE. Numbers and booleans are kept as they are, texts in short, and what is an
 * object or an array is named so.
 */
export function reportedUsageText(figures: ReportedFigures, redact: Redact): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(figures).map(([bucket, figure]) => [bucket, kept(figure, redact)])),
  );
}

function kept(figure: unknown, redact: Redact): string | number | boolean {
  if (typeof figure === 'object') return Array.isArray(figure) ? 'array' : 'object';
  const text = recordText(String(figure), redact);
  const isPlain = typeof figure === 'boolean' || (typeof figure === 'number' && Number.isFinite(figure));
  // A credential may look like a number.
  if (isPlain && text === String(figure)) return figure;
  return text.slice(0, MOST_CHARACTERS).toWellFormed();
}
