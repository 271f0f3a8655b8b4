import type { Citation } from '../../canonical/part.ts';
import { numberOf } from '../../json/lossless.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';

/**
 * Decodes the citations of a candidate's text. Google counts ranges of a response in bytes.
 *
 * @param text the cited text
 */
export function decodeCitations(candidate: JsonRecord, text: string): Citation[] {
  const grounding = recordOr(candidate['groundingMetadata']);
  const listed = recordOr(candidate['citationMetadata']);
  if (grounding === candidate['groundingMetadata'] || listed === candidate['citationMetadata']) {
    return [...groundingCitations(grounding, text), ...listedCitations(listed, text)];
  }
  return NONE;
}

const NONE: Citation[] = [];

function listedCitations(metadata: JsonRecord, text: string): Citation[] {
  const sources = metadata['citations'] ?? metadata['citationSources'];
  return list(sources).flatMap((source) => citationOf(source['uri'], source['title'], rangeOf(source, text)) ?? []);
}

function groundingCitations(metadata: JsonRecord, text: string): Citation[] {
  const chunks = list(metadata['groundingChunks']).map((chunk) =>
    recordOr(chunk['web'] ?? chunk['maps'] ?? chunk['retrievedContext']),
  );
  const citations: Citation[] = [];
  const used = new Set<JsonRecord>();
  for (const support of list(metadata['groundingSupports'])) {
    const indices = support['groundingChunkIndices'];
    for (const index of Array.isArray(indices) ? indices : []) {
      const chunk = chunks[numberOf(index) ?? -1];
      if (chunk === undefined) continue;
      used.add(chunk);
      const citation = citationOf(chunk['uri'], chunk['title'], rangeOf(recordOr(support['segment']), text));
      if (citation !== undefined) citations.push(citation);
    }
  }
  for (const chunk of chunks) {
    const citation = used.has(chunk) ? undefined : citationOf(chunk['uri'], chunk['title'], undefined);
    if (citation !== undefined) citations.push(citation);
  }
  return citations;
}

function citationOf(uri: unknown, title: unknown, textRange: Citation['textRange']): Citation | undefined {
  if (typeof uri !== 'string' || uri === '') return undefined;
  return {
    url: uri,
    ...(typeof title === 'string' && title !== '' && { title }),
    ...(textRange !== undefined && { textRange }),
  };
}

/** In characters; undefined if outside of the text. */
function rangeOf(segment: JsonRecord, text: string): Citation['textRange'] {
  const end = numberOf(segment['endIndex']);
  if (end === undefined) return undefined;
  const start = numberOf(segment['startIndex']) ?? 0;
  const bytes = Buffer.from(text);
  if (start < 0 || end < start || end > bytes.length) return undefined;
  const before = bytes.toString('utf8', 0, start).length;
  return { start: before, end: before + bytes.toString('utf8', start, end).length };
}

function list(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/**
 * Encodes citations; undefined if none is of a web page.
 *
 * @param text the cited text
 * @param before bytes of the response before that text
 */
export function encodeCitations(citations: readonly Citation[], text: string, before: number): JsonRecord[] {
  return citations.flatMap((citation) => {
    if (citation.url === undefined) return [];
    const { textRange, url, title } = citation;
    return {
      ...(textRange !== undefined && {
        startIndex: before + Buffer.byteLength(text.slice(0, textRange.start)),
        endIndex: before + Buffer.byteLength(text.slice(0, textRange.end)),
      }),
      uri: url,
      ...(title !== undefined && { title }),
    };
  });
}
