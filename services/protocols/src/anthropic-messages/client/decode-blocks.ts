import type { FilePart, ImagePart, InputPart, TextPart, ToolResultPart } from '../../canonical/part.ts';
import type { JsonRecord } from '../../json/record.ts';
import { mapInStages, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import type {
  DocumentBlock,
  ImageBlock,
  SearchResultBlock,
  TextBlock,
  ToolResultBlock,
} from '../shared/block-schema.ts';
import { decodeCacheControl } from '../shared/cache.ts';

const IMAGE_MEMBERS = ['type', 'source', 'cache_control'];
const DOCUMENT_MEMBERS = ['type', 'source', 'cache_control', 'citations', 'context', 'title'];
const SEARCH_MEMBERS = ['type', 'content', 'source', 'title', 'cache_control', 'citations'];
const RESULT_MEMBERS = ['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name'];

/** Warns of unknown members, each by its name. */
export function warnOfUnknownMembers(
  record: JsonRecord,
  known: readonly string[],
  at: string,
  diagnostics: Diagnostics,
): void {
  for (const key of Object.keys(record)) {
    if (known.includes(key) || record[key] === undefined || record[key] === null) continue;
    diagnostics.warn(`${at}.${key}`, "not passed on to this model's provider");
  }
}

/** Decodes an image or a document of a user turn or a tool result; undefined if it is rejected. */
export function decodeInputPart(
  block: ImageBlock | DocumentBlock | SearchResultBlock,
  at: string,
  diagnostics: Diagnostics,
): InputPart | undefined {
  switch (block.type) {
    case 'image':
      return imagePart(block, at, diagnostics);
    case 'document':
      return documentPart(block, at, diagnostics);
    case 'search_result':
      return searchPart(block, at, diagnostics);
    default:
      return block satisfies never;
  }
}

function imagePart(block: ImageBlock, at: string, diagnostics: Diagnostics): ImagePart | undefined {
  warnOfUnknownMembers(block, IMAGE_MEMBERS, at, diagnostics);
  const { source } = block;
  const rest = { at, ...decodeCacheControl(block.cache_control) };
  switch (source.type) {
    case 'base64':
      return { type: 'image', source: { kind: 'data', mediaType: source.media_type, data: source.data }, ...rest };
    case 'url':
      return { type: 'image', source: { kind: 'url', url: source.url }, ...rest };
    case 'file':
      return rejectFile(at, diagnostics);
    default:
      return source satisfies never;
  }
}

function documentPart(block: DocumentBlock, at: string, diagnostics: Diagnostics): FilePart | undefined {
  warnOfUnknownMembers(block, DOCUMENT_MEMBERS, at, diagnostics);
  const source = documentSource(block, at, diagnostics);
  if (source === undefined) return undefined;
  const { title, context, citations } = block;
  return {
    type: 'file',
    source,
    at,
    ...(typeof title === 'string' && { title }),
    ...(typeof context === 'string' && { context }),
    ...(typeof citations?.enabled === 'boolean' && { citable: citations.enabled }),
    ...decodeCacheControl(block.cache_control),
  };
}

function documentSource(block: DocumentBlock, at: string, diagnostics: Diagnostics): FilePart['source'] | undefined {
  const { source } = block;
  switch (source.type) {
    case 'base64':
      return { kind: 'data', mediaType: source.media_type, data: source.data };
    case 'url':
      return { kind: 'url', url: source.url, mediaType: 'application/pdf' };
    case 'text':
      return { kind: 'text', text: source.data };
    case 'content': {
      if (typeof source.content === 'string') return { kind: 'text', text: source.content };
      const texts = source.content.flatMap((inner) => (inner.type === 'text' ? [inner.text] : []));
      if (texts.length === source.content.length) return { kind: 'text', text: texts.join('\n\n') };
      diagnostics.reject(
        at,
        "this model's provider takes no documents made of images; send the images as image blocks",
      );
      return undefined;
    }
    case 'file':
      return rejectFile(at, diagnostics);
    default:
      return source satisfies never;
  }
}

/** Decodes a result of the client's own search as a text with its source. */
function searchPart(block: SearchResultBlock, at: string, diagnostics: Diagnostics): FilePart {
  warnOfUnknownMembers(block, SEARCH_MEMBERS, at, diagnostics);
  return {
    type: 'file',
    source: { kind: 'text', text: block.content.map((inner) => inner.text).join('\n\n') },
    title: block.title,
    context: block.source,
    at,
    ...(typeof block.citations?.enabled === 'boolean' && { citable: block.citations.enabled }),
    ...decodeCacheControl(block.cache_control),
  };
}

/** Decodes the result of a call that the client ran. */
export function* decodeToolResult(
  block: ToolResultBlock,
  at: string,
  diagnostics: Diagnostics,
): Stages<ToolResultPart> {
  warnOfUnknownMembers(block, RESULT_MEMBERS, at, diagnostics);
  return {
    type: 'tool-result',
    callId: block.tool_use_id,
    kind: 'function',
    parts: yield* resultParts(block, at, diagnostics),
    isError: block.is_error ?? false,
    at,
    ...decodeCacheControl(block.cache_control),
  };
}

function* resultParts({ content }: ToolResultBlock, at: string, diagnostics: Diagnostics): Stages<InputPart[]> {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, at: `${at}.content` }];
  return yield* mapInStages(content, (inner, i): InputPart | undefined => {
    const place = `${at}.content[${i}]`;
    switch (inner.type) {
      case 'text':
        return resultText(inner, place);
      case 'image':
      case 'document':
      case 'search_result':
        return decodeInputPart(inner, place, diagnostics);
      case 'tool_reference':
        return { type: 'text', text: `The tool ${inner.tool_name} can be called now.`, at: place };
      case 'browser_state':
        return { type: 'text', text: JSON.stringify(inner), at: place };
      default:
        return inner satisfies never;
    }
  });
}

function resultText(block: TextBlock, at: string): TextPart | undefined {
  return block.text === ''
    ? undefined
    : { type: 'text', text: block.text, at, ...decodeCacheControl(block.cache_control) };
}

function rejectFile(at: string, diagnostics: Diagnostics): undefined {
  diagnostics.reject(`${at}.source.file_id`, 'ids of uploaded files are not accepted');
  return undefined;
}
