import type { AudioPart, FilePart, ImagePart } from '../../canonical/part.ts';
import type { JsonRecord } from '../../json/record.ts';
import { standardBase64 } from './signature.ts';

export type MediaPart = ImagePart | FilePart | AudioPart;

/** Decodes inline data. Plain text becomes a document. */
export function decodeBlob(mimeType: string, data: string, filename: string | undefined): MediaPart {
  const mediaType = mimeType.toLowerCase();
  const base64 = standardBase64(data);
  if (mediaType.startsWith('image/')) return { type: 'image', source: { kind: 'data', mediaType, data: base64 } };
  if (mediaType.startsWith('audio/')) return { type: 'audio', mediaType, data: base64 };
  const name = filename === undefined ? {} : { filename };
  if (mediaType === 'text/plain') {
    return { type: 'file', source: { kind: 'text', text: Buffer.from(base64, 'base64').toString('utf8') }, ...name };
  }
  return { type: 'file', source: { kind: 'data', mediaType, data: base64 }, ...name };
}

/** Decodes media given by URI. Undefined for audio, which the canonical form has only inline. */
export function decodeFileUri(
  url: string,
  mimeType: string | undefined,
  filename: string | undefined,
): MediaPart | undefined {
  const mediaType = mimeType?.toLowerCase();
  const source = { kind: 'url', url, ...(mediaType !== undefined && { mediaType }) } as const;
  if (mediaType?.startsWith('audio/')) return undefined;
  if (mediaType?.startsWith('image/')) return { type: 'image', source };
  return { type: 'file', source, ...(filename !== undefined && { filename }) };
}

/** Encodes media. */
export function encodeMedia(media: MediaPart): JsonRecord {
  if (media.type === 'audio') return { inlineData: { mimeType: media.mediaType, data: media.data } };
  const { source } = media;
  switch (source.kind) {
    case 'data':
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    case 'text':
      return { inlineData: { mimeType: 'text/plain', data: Buffer.from(source.text).toString('base64') } };
    case 'url': {
      const mimeType =
        source.mediaType ?? mediaTypeOfUrl(source.url) ?? (media.type === 'image' ? 'image/jpeg' : undefined);
      return { fileData: { fileUri: source.url, ...(mimeType !== undefined && { mimeType }) } };
    }
    default:
      return source satisfies never;
  }
}

const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['mp4', 'video/mp4'],
]);

/** Google requires the media type of a URI; its extension often shows it. */
function mediaTypeOfUrl(url: string): string | undefined {
  const extension = /\.([A-Za-z0-9]+)$/.exec(URL.parse(url)?.pathname ?? '')?.[1];
  return extension === undefined ? undefined : BY_EXTENSION.get(extension.toLowerCase());
}
