import type { Citation } from '../../canonical/part.ts';
import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

type Document = NonNullable<Citation['document']>;

/** Decodes a citation of a response's text; undefined if its kind is unknown. */
export function decodeCitation(value: unknown): Citation | undefined {
  const record = recordOr(value);
  const quote = stringOr(record['cited_text']);
  const said = {
    ...(quote !== '' && { quote }),
    ...titleOf(record['document_title'] ?? record['title']),
  };
  switch (record['type']) {
    case 'char_location':
      return withDocument(said, record, 'character', 'start_char_index', 'end_char_index');
    case 'page_location':
      return withDocument(said, record, 'page', 'start_page_number', 'end_page_number');
    case 'content_block_location':
      return withDocument(said, record, 'block', 'start_block_index', 'end_block_index');
    case 'web_search_result_location':
      return { url: stringOr(record['url']), ...said };
    case 'search_result_location':
      return { url: stringOr(record['source']), ...said };
    default:
      return undefined;
  }
}

/** The citations of a text. */
export function decodeCitations(value: unknown): Citation[] {
  return Array.isArray(value) ? value.flatMap((one) => decodeCitation(one) ?? []) : [];
}

function titleOf(title: unknown): Pick<Citation, 'title'> {
  return typeof title === 'string' && title !== '' ? { title } : {};
}

function withDocument(
  said: Citation,
  record: JsonRecord,
  unit: Document['unit'],
  startKey: string,
  endKey: string,
): Citation | undefined {
  const index = record['document_index'];
  const start = record[startKey];
  const end = record[endKey];
  if (typeof index !== 'number' || typeof start !== 'number' || typeof end !== 'number') return undefined;
  return { ...said, document: { index, unit, start, end } };
}

/**
 * Encodes a citation; undefined if it has no source. Citations of web pages have no `encrypted_index`, which Anthropic
 * requires of its own.
 */
export function encodeCitation({ url, title, quote, document }: Citation): JsonRecord | undefined {
  if (document !== undefined) {
    const cited = { cited_text: quote ?? '', document_index: document.index, document_title: title ?? null };
    return { ...stretchOf(document), ...cited, file_id: null };
  }
  if (url === undefined) return undefined;
  const cited = { url, title: title ?? null, cited_text: quote ?? '' };
  return { type: 'web_search_result_location', ...cited, encrypted_index: '' };
}

function stretchOf({ unit, start, end }: Document): JsonRecord {
  switch (unit) {
    case 'character':
      return { type: 'char_location', start_char_index: start, end_char_index: end };
    case 'page':
      return { type: 'page_location', start_page_number: start, end_page_number: end };
    case 'block':
      return { type: 'content_block_location', start_block_index: start, end_block_index: end };
    default:
      return unit satisfies never;
  }
}

/** Whether a citation from a client was generated here, so that Anthropic would reject it. */
export function isForeignCitation(value: unknown): boolean {
  const record = recordOr(value);
  return record['type'] === 'web_search_result_location' && record['encrypted_index'] === '';
}
