import type { AudioPart, FilePart, ImagePart, TextPart } from '../../canonical/part.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { encodeUrl } from '../shared/data-url.ts';

/** Writes a part of a user's message or of a tool's result; undefined, with an error, if it cannot be expressed. */
export function encodeContent(
  part: TextPart | ImagePart | FilePart | AudioPart,
  diagnostics: Diagnostics,
): JsonRecord | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return { type: 'input_image', image_url: encodeUrl(part.source), detail: part.detail ?? 'auto' };
    case 'file':
      return fileJson(part, diagnostics);
    case 'audio':
      diagnostics.reject(part.at, "this model's provider does not accept audio");
      return undefined;
    default:
      return part satisfies never;
  }
}

function fileJson(file: FilePart, diagnostics: Diagnostics): JsonRecord | undefined {
  const { source, filename, title, context, citable, at } = file;
  if (citable === true) diagnostics.warn(at, "citations from it are not available at this model's provider");
  if (source.kind === 'text') {
    const head = [title ?? filename, context].filter((line) => line !== undefined);
    return { type: 'input_text', text: [...head, source.text].join('\n\n') };
  }
  if (context !== undefined || (title !== undefined && filename !== undefined)) {
    diagnostics.warn(at, "the title and context of the document are not passed on to this model's provider");
  }
  const name = filename ?? title;
  if (source.kind === 'url') {
    return { type: 'input_file', file_url: source.url, ...(name !== undefined && { filename: name }) };
  }
  if (/^(video|audio|image)\//.test(source.mediaType)) {
    diagnostics.reject(
      at,
      "this model's provider does not accept video or audio as files, and images only in image parts",
    );
    return undefined;
  }
  const fallback = source.mediaType === 'application/pdf' ? 'document.pdf' : 'document';
  return { type: 'input_file', filename: name ?? fallback, file_data: encodeUrl(source) };
}
