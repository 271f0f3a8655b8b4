import type { FilePart, ImagePart, MediaSource } from '../../canonical/part.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';

/** The pictures Anthropic reads. https://platform.claude.com/docs/en/build-with-claude/vision */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const PDF = 'application/pdf';

/** Encodes an image; undefined if it cannot be sent. */
export function encodeImage(part: ImagePart, at: string | undefined, diagnostics: Diagnostics): JsonRecord | undefined {
  const { source, detail } = part;
  if (detail !== undefined && detail !== 'auto') {
    diagnostics.warn(at, "the image's detail is not passed on to this model's provider");
  }
  if (source.kind === 'data' && !IMAGE_TYPES.has(source.mediaType)) {
    diagnostics.reject(at, `this model's provider accepts only images of the types ${[...IMAGE_TYPES].join(', ')}`);
    return undefined;
  }
  return { type: 'image', source: mediaSource(source) };
}

/** Encodes a document; undefined if it cannot be sent. */
export function encodeDocument(
  part: FilePart,
  at: string | undefined,
  diagnostics: Diagnostics,
): JsonRecord | undefined {
  const source = documentSource(part.source);
  if (source === undefined) {
    diagnostics.reject(at, "this model's provider accepts only PDF and plain-text documents");
    return undefined;
  }
  const title = part.title ?? part.filename;
  return {
    type: 'document',
    source,
    ...(title !== undefined && { title }),
    ...(part.context !== undefined && { context: part.context }),
    ...(part.citable === true && { citations: { enabled: true } }),
  };
}

function documentSource(source: FilePart['source']): JsonRecord | undefined {
  if (source.kind === 'text') return textSource(source.text);
  if (source.mediaType === undefined || source.mediaType === PDF) return mediaSource(source);
  if (source.kind === 'url' || !source.mediaType.startsWith('text/')) return undefined;
  return textSource(Buffer.from(source.data, 'base64').toString('utf8'));
}

function textSource(text: string): JsonRecord {
  return { type: 'text', media_type: 'text/plain', data: text };
}

function mediaSource(source: MediaSource): JsonRecord {
  return source.kind === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.data };
}
