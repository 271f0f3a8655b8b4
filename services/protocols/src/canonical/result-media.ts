import type { Diagnostics } from '../request/diagnostics.ts';
import type { TextPart, ToolResultPart } from './part.ts';

/**
 * Encodes a part of a tool's result. Results stay in the conversation, so a refusal of one would end it: what the
 * provider does not accept is mentioned in a text.
 */
export function encodeResultPart<T>(
  part: ToolResultPart['parts'][number],
  diagnostics: Diagnostics,
  encode: (part: ToolResultPart['parts'][number], diagnostics: Diagnostics) => T | undefined,
): T | undefined {
  if (part.type === 'text') return encode(part, diagnostics);
  const attempt = diagnostics.attempt((own) => encode(part, own));
  return attempt.ok ? attempt.encoded : encode(mention(part), diagnostics);
}

function mention(part: Exclude<ToolResultPart['parts'][number], TextPart>): TextPart {
  const { at } = part;
  const text = `(The output has ${nameOf(part)}, which this model cannot read.)`;
  return { type: 'text', text, ...(at !== undefined && { at }) };
}

function nameOf(part: Exclude<ToolResultPart['parts'][number], TextPart>): string {
  switch (part.type) {
    case 'audio':
      return `a recording of the type ${part.mediaType}`;
    case 'image':
      return part.source.mediaType === undefined ? 'an image' : `an image of the type ${part.source.mediaType}`;
    case 'file': {
      const { source, filename } = part;
      const type = source.kind === 'text' ? 'text/plain' : source.mediaType;
      return `a file${filename === undefined ? '' : ` "${filename}"`}${type === undefined ? '' : ` of the type ${type}`}`;
    }
    default:
      return part satisfies never;
  }
}
