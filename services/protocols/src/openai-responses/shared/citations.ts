import type { Citation } from '../../canonical/part.ts';
import { type JsonRecord, recordOr } from '../../json/record.ts';

/** Decodes an annotation of a text; undefined for kinds that name objects stored at the provider. */
export function decodeCitation(value: unknown): Citation | undefined {
  const annotation = recordOr(value);
  const { url, title, start_index: start, end_index: end } = annotation;
  if (annotation['type'] !== 'url_citation' || typeof url !== 'string') return undefined;
  const hasStretch = typeof start === 'number' && typeof end === 'number' && end > start;
  return {
    url,
    ...(typeof title === 'string' && title !== '' && { title }),
    ...(hasStretch && { textRange: { start, end } }),
  };
}

/** The citations among the annotations of a text. */
export function decodeCitations(value: unknown): Citation[] {
  return Array.isArray(value) ? value.flatMap((annotation) => decodeCitation(annotation) ?? []) : [];
}

/** The annotation for a citation; undefined for one of a document, which the protocol can only name by its id. */
export function encodeCitation({ url, title, textRange }: Citation): JsonRecord | undefined {
  if (url === undefined) return undefined;
  return {
    type: 'url_citation',
    url,
    title: title ?? '',
    start_index: textRange?.start ?? 0,
    end_index: textRange?.end ?? 0,
  };
}
