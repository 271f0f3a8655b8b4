import type { AudioPart, FilePart, ImagePart, MediaSource } from '../../canonical/part.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The media type and base64 of a data URL; undefined if it is not a base64 data URL with a media type. */
export function parseDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const comma = url.indexOf(',');
  if (!isDataUrl(url) || comma === -1) return undefined;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).toLowerCase().split(';');
  if (mediaType === '' || parameters.at(-1)?.trim() !== 'base64') return undefined;
  const data = withoutBreaks(url.slice(comma + 1));
  return BASE64.test(data) ? { mediaType: mediaType.trim(), data } : undefined;
}

function isDataUrl(url: string): boolean {
  return url.slice(0, 'data:'.length).toLowerCase() === 'data:';
}

function withoutBreaks(data: string): string {
  return /\s/.test(data) ? data.replaceAll(/\s+/g, '') : data;
}

function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

/** The source that a URL names; undefined for an invalid data URL. */
export function decodeUrl(url: string): MediaSource | undefined {
  if (!isDataUrl(url)) return { kind: 'url', url };
  const read = parseDataUrl(url);
  return read === undefined ? undefined : { kind: 'data', ...read };
}

const DETAILS = ['auto', 'low', 'high', 'original'] as const;

/** Reads an image part's `image_url`. */
export function decodeImage(
  { url, detail }: { readonly url: string; readonly detail?: string | null | undefined },
  at: string,
  diagnostics: Diagnostics,
): ImagePart | undefined {
  const source = decodeUrl(url);
  if (source === undefined) {
    diagnostics.reject(`${at}.image_url.url`, 'expected a URL, or a base64 data URL with its media type');
    return undefined;
  }
  const known = DETAILS.find((one) => one === detail);
  if (known === undefined && typeof detail === 'string') {
    diagnostics.reject(`${at}.image_url.detail`, `expected ${DETAILS.map((one) => `"${one}"`).join(', ')}`);
  }
  return { type: 'image', source, ...(known !== undefined && { detail: known }), at };
}

/** Media types by the values of `format`. */
const AUDIO_TYPES: Readonly<Record<string, string>> = { wav: 'audio/wav', mp3: 'audio/mpeg' };

export function decodeAudio(
  { data, format }: { readonly data: string; readonly format: string },
  at: string,
): AudioPart {
  return { type: 'audio', mediaType: AUDIO_TYPES[format] ?? `audio/${format}`, data: withoutBreaks(data), at };
}

interface ChatFile {
  readonly file_data?: string | null | undefined;
  readonly filename?: string | null | undefined;
}

/** Reads a file part's `file`. Some clients send the base64 alone; it is treated as a PDF, as providers do. */
export function decodeFile(
  { file_data: data, filename }: ChatFile,
  at: string,
  diagnostics: Diagnostics,
): FilePart | undefined {
  if (typeof data !== 'string') {
    diagnostics.reject(`${at}.file.file_data`, 'required, but missing');
    return undefined;
  }
  const source = sourceOfFile(data);
  if (source === undefined) {
    diagnostics.reject(`${at}.file.file_data`, 'expected a base64 data URL with its media type');
    return undefined;
  }
  return { type: 'file', source, ...(typeof filename === 'string' && { filename }), at };
}

function sourceOfFile(data: string): MediaSource | undefined {
  if (isDataUrl(data)) return decodeUrl(data);
  if (/^https?:\/\//i.test(data)) return { kind: 'url', url: data };
  const bare = withoutBreaks(data);
  return BASE64.test(bare) ? { kind: 'data', mediaType: 'application/pdf', data: bare } : undefined;
}

/** The `image_url` of an image. */
export function encodeImage({ source, detail }: ImagePart): JsonRecord {
  const url = source.kind === 'url' ? source.url : dataUrl(source.mediaType, source.data);
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } };
}

/** Decodes the images that some upstreams add to a message. */
export function decodeOutputImages(value: unknown): ImagePart[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((element: unknown): ImagePart[] => {
    const image = isRecord(element) ? element['image_url'] : undefined;
    const url = isRecord(image) ? image['url'] : undefined;
    const source = typeof url === 'string' ? decodeUrl(url) : undefined;
    return source === undefined ? [] : [{ type: 'image', source }];
  });
}

/** The part of a recording; undefined, with an error, for formats other than the protocol's two. */
export function encodeAudio({ mediaType, data, at }: AudioPart, diagnostics: Diagnostics): JsonRecord | undefined {
  const format = formatOf(mediaType);
  if (format === undefined) {
    diagnostics.reject(at, "this model's provider accepts only wav and mp3 audio");
    return undefined;
  }
  return { type: 'input_audio', input_audio: { data, format } };
}

function formatOf(mediaType: string): 'wav' | 'mp3' | undefined {
  switch (mediaType) {
    case 'audio/wav':
    case 'audio/wave':
    case 'audio/x-wav':
      return 'wav';
    case 'audio/mpeg':
    case 'audio/mp3':
      return 'mp3';
    default:
      return undefined;
  }
}

/** The part of a document. A plain text becomes a text part, with its title and context before it. */
export function encodeFile(file: FilePart, diagnostics: Diagnostics): JsonRecord | undefined {
  const { source, filename, title, context, citable, at } = file;
  if (citable === true) diagnostics.warn(at, "citations from it are not available at this model's provider");
  if (source.kind === 'text') {
    const head = [title ?? filename, context].filter((line) => line !== undefined);
    return { type: 'text', text: [...head, source.text].join('\n\n') };
  }
  if (source.kind === 'url') {
    diagnostics.reject(at, "this model's provider accepts documents only with their content, not by URL");
    return undefined;
  }
  if (/^(video|audio|image)\//.test(source.mediaType)) {
    diagnostics.reject(
      at,
      "this model's provider takes no video, and images and recordings only in parts of their own",
    );
    return undefined;
  }
  if (context !== undefined || (title !== undefined && filename !== undefined)) {
    diagnostics.warn(at, "the title and context of the document are not passed on to this model's provider");
  }
  const name = filename ?? title ?? (source.mediaType === 'application/pdf' ? 'document.pdf' : 'document');
  return { type: 'file', file: { filename: name, file_data: dataUrl(source.mediaType, source.data) } };
}
