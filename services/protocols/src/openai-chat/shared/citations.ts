import type { Citation } from '../../canonical/part.ts';
import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

/** Reads the `annotations` of a message. */
export function decodeCitations(value: unknown): readonly Citation[] {
  return Array.isArray(value) ? value.flatMap(readAnnotation) : [];
}

function readAnnotation(value: unknown): Citation[] {
  const { url, title, start_index: start, end_index: end } = recordOr(recordOr(value)['url_citation']);
  if (typeof url !== 'string') return [];
  const isPlaced = typeof start === 'number' && typeof end === 'number';
  return [
    { url, ...(stringOr(title) !== '' && { title: stringOr(title) }), ...(isPlaced && { textRange: { start, end } }) },
  ];
}

/**
 * The citations of pages; the protocol has no others.
 *
 * @param before characters of the message before the text that the citations belong to
 */
export function encodeCitations(citations: readonly Citation[], before: number): readonly JsonRecord[] {
  return citations.flatMap(({ url, title, textRange }) => {
    if (url === undefined) return [];
    const start = before + (textRange?.start ?? 0);
    const end = before + (textRange?.end ?? 0);
    return [{ type: 'url_citation', url_citation: { url, title: title ?? '', start_index: start, end_index: end } }];
  });
}
