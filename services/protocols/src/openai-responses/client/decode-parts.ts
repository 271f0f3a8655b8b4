import type { EncodeNotes } from '../../canonical/encode-notes.ts';
import type { AudioPart, CacheHint, FilePart, ImagePart, InputPart, TextPart } from '../../canonical/part.ts';
import { isRecord } from '../../json/record.ts';
import { mapInStages, type Stages } from '../../stages.ts';
import type { ContentPart } from '../schema.ts';
import { readBase64, readUrl } from '../shared/data-url.ts';

/** Reads the content of a user's message or of a tool's result. */
export function* readInputParts(
  content: string | readonly ContentPart[],
  at: string,
  notes: EncodeNotes,
): Stages<InputPart[]> {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, at }];
  return yield* mapInStages(content, (part, index) => readInputPart(part, `${at}[${index}]`, notes));
}

/** Reads one part; undefined, with a refusal, when it cannot be. A text without anything in it is none. */
export function readInputPart(part: ContentPart, at: string, notes: EncodeNotes): InputPart | undefined {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return part.text === ''
        ? undefined
        : ({ type: 'text', text: part.text, at, ...cacheOf(part) } satisfies TextPart);
    case 'refusal':
      return { type: 'text', text: part.refusal, at };
    case 'input_image':
      return readImage(part, at, notes);
    case 'input_file':
      return readFile(part, at, notes);
    case 'input_audio':
      return readAudio(part.input_audio, at, notes);
    default:
      return part satisfies never;
  }
}

/** A breakpoint in the provider's cache behind a part. */
export function cacheOf(part: ContentPart): { readonly cache?: CacheHint } {
  return isRecord(part['prompt_cache_breakpoint']) ? { cache: {} } : {};
}

const DETAILS = ['auto', 'low', 'high', 'original'] as const;

type ImageContent = Extract<ContentPart, { type: 'input_image' }>;

function readImage(part: ImageContent, at: string, notes: EncodeNotes): ImagePart | undefined {
  const { image_url: url, detail } = part;
  const source = typeof url === 'string' ? readUrl(url) : undefined;
  if (source === undefined) {
    notes.refuse(`${at}.image_url`, 'expected a web address or a data URL in base64 that names its media type');
    return undefined;
  }
  const known = DETAILS.find((one) => one === detail);
  if (known === undefined && typeof detail === 'string') {
    notes.refuse(`${at}.detail`, `expected ${DETAILS.map((one) => `"${one}"`).join(', ')}`);
  }
  return { type: 'image', source, ...(known !== undefined && { detail: known }), at, ...cacheOf(part) };
}

type FileContent = Extract<ContentPart, { type: 'input_file' }>;

/** OpenAI takes a file as a data URL, as bare base64, or by its address. */
function readFile(part: FileContent, at: string, notes: EncodeNotes): FilePart | undefined {
  const { file_data: data, file_url: url, filename } = part;
  const facts = { ...(typeof filename === 'string' && { filename }), at, ...cacheOf(part) };
  if (typeof data === 'string') {
    const source = readFileData(data, filename ?? '');
    if (source !== undefined) return { type: 'file', source, ...facts };
    notes.refuse(`${at}.file_data`, 'expected a data URL in base64 that names its media type');
    return undefined;
  }
  if (typeof url === 'string') return { type: 'file', source: { kind: 'url', url }, ...facts };
  notes.refuse(at, 'expected file_data or file_url');
  return undefined;
}

function readFileData(data: string, filename: string): FilePart['source'] | undefined {
  if (data.slice(0, 5).toLowerCase() === 'data:') return readUrl(data);
  const bare = readBase64(data);
  return bare === undefined ? undefined : { kind: 'data', mediaType: mediaTypeOf(filename), data: bare };
}

/** Media types by the endings of file names; without one, a file is taken for what files mostly are. */
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
  notes: EncodeNotes,
): AudioPart | undefined {
  const bytes = readBase64(data);
  if (bytes === undefined) {
    notes.refuse(`${at}.input_audio.data`, 'expected base64');
    return undefined;
  }
  return { type: 'audio', mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format}`, data: bytes, at };
}
