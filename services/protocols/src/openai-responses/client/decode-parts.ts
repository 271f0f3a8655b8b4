import type { AudioPart, CacheHint, FilePart, ImagePart, InputPart, TextPart } from '../../canonical/part.ts';
import { isRecord } from '../../json/record.ts';
import { mapInStages, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { decodeBase64, decodeUrl } from '../shared/data-url.ts';
import type { ContentPart, EncryptedPart } from '../shared/schema.ts';

/** Reads the content of a user's message or of a tool's result. */
export function* decodeInputParts(
  content: string | readonly (ContentPart | EncryptedPart)[],
  at: string,
  diagnostics: Diagnostics,
): Stages<InputPart[]> {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, at }];
  return yield* mapInStages(content, (part, index) => decodeInputPart(part, `${at}[${index}]`, diagnostics));
}

/** Reads one part; undefined, with an error, if it cannot be decoded. An empty text is dropped. */
export function decodeInputPart(
  part: ContentPart | EncryptedPart,
  at: string,
  diagnostics: Diagnostics,
): InputPart | undefined {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return part.text === ''
        ? undefined
        : ({ type: 'text', text: part.text, at, ...decodeCacheBreakpoint(part) } satisfies TextPart);
    case 'refusal':
      return { type: 'text', text: part.refusal, at };
    case 'input_image':
      return readImage(part, at, diagnostics);
    case 'input_file':
      return readFile(part, at, diagnostics);
    case 'encrypted_content':
      diagnostics.warn(at, 'left out, since only its own provider can read it');
      return undefined;
    case 'input_audio':
      return readAudio(part.input_audio, at, diagnostics);
    default:
      return part satisfies never;
  }
}

/** A cache breakpoint after a part. */
export function decodeCacheBreakpoint(part: ContentPart): { readonly cache?: CacheHint } {
  return isRecord(part['prompt_cache_breakpoint']) ? { cache: {} } : {};
}

const DETAILS = ['auto', 'low', 'high', 'original'] as const;

type ImageContent = Extract<ContentPart, { type: 'input_image' }>;

function readImage(part: ImageContent, at: string, diagnostics: Diagnostics): ImagePart | undefined {
  const { image_url: url, detail } = part;
  const source = typeof url === 'string' ? decodeUrl(url) : undefined;
  if (source === undefined) {
    diagnostics.reject(`${at}.image_url`, 'expected a URL, or a base64 data URL with its media type');
    return undefined;
  }
  const known = DETAILS.find((one) => one === detail);
  if (known === undefined && typeof detail === 'string') {
    diagnostics.reject(`${at}.detail`, `expected ${DETAILS.map((one) => `"${one}"`).join(', ')}`);
  }
  return { type: 'image', source, ...(known !== undefined && { detail: known }), at, ...decodeCacheBreakpoint(part) };
}

type FileContent = Extract<ContentPart, { type: 'input_file' }>;

/** OpenAI accepts a file as a data URL, as bare base64, or by URL. */
function readFile(part: FileContent, at: string, diagnostics: Diagnostics): FilePart | undefined {
  const { file_data: data, file_url: url, filename } = part;
  const facts = { ...(typeof filename === 'string' && { filename }), at, ...decodeCacheBreakpoint(part) };
  if (typeof data === 'string') {
    const source = readFileData(data, filename ?? '');
    if (source !== undefined) return { type: 'file', source, ...facts };
    diagnostics.reject(`${at}.file_data`, 'expected a base64 data URL with its media type');
    return undefined;
  }
  if (typeof url === 'string') return { type: 'file', source: { kind: 'url', url }, ...facts };
  diagnostics.reject(at, 'expected file_data or file_url');
  return undefined;
}

function readFileData(data: string, filename: string): FilePart['source'] | undefined {
  if (data.slice(0, 5).toLowerCase() === 'data:') return decodeUrl(data);
  const bare = decodeBase64(data);
  return bare === undefined ? undefined : { kind: 'data', mediaType: mediaTypeOf(filename), data: bare };
}

/** Media types by file name extension; a file without one counts as a PDF. */
function mediaTypeOf(filename: string): string {
  switch (filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()) {
    case 'txt':
      return 'text/plain';
    case 'md':
      return 'text/markdown';
    case 'csv':
      return 'text/csv';
    case 'html':
      return 'text/html';
    case 'json':
      return 'application/json';
    default:
      return 'application/pdf';
  }
}

function readAudio(
  { data, format }: { readonly data: string; readonly format: string },
  at: string,
  diagnostics: Diagnostics,
): AudioPart | undefined {
  const bytes = decodeBase64(data);
  if (bytes === undefined) {
    diagnostics.reject(`${at}.input_audio.data`, 'expected base64');
    return undefined;
  }
  return { type: 'audio', mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format}`, data: bytes, at };
}
