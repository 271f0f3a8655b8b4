import type { ReportedFigures } from '@tollgate/protocols/usage';
import type { Redact } from '../upstream/redaction.ts';
import { recordText } from './record-text.ts';

/** Even if every character is escaped, figures of this length fit into what the ledger accepts. */
const MAX_FIGURE_CHARACTERS = 20;

/**
 * Implausible figures for records and spans: a JSON object by bucket, without control characters and never longer than
 * LONGEST_REPORTED_USAGE. Numbers and booleans are kept, texts are cut, and objects and arrays are only named as such.
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
