import type { Conversation, Part, ToolSpec } from './conversation.ts';
import {
  AUDIO_CHARACTERS_PER_TOKEN,
  BYTES_PER_TOKEN,
  TOKENS_PER_FILE,
  TOKENS_PER_IMAGE,
  TOKENS_PER_LOW_DETAIL_IMAGE,
  TOKENS_PER_MESSAGE,
  TOKENS_PER_REQUEST,
} from './tokens.ts';

/**
 * Counts the input of a conversation, independently of the protocol: the UTF-8 bytes of all texts divided by four and
 * rounded up; images, files and audio by their own sizes; the template of each run of turns of one side and of the
 * request. How texts are split and where instructions are makes no difference. Earlier reasoning does not count.
 */
export function countInput(conversation: Conversation): number {
  let tokens = TOKENS_PER_REQUEST;
  let bytes = 0;
  let side: string | undefined;
  for (const turn of conversation.turns) {
    if (turn.side !== 'instructions' && turn.side !== side) {
      tokens += TOKENS_PER_MESSAGE;
      side = turn.side;
    }
    for (const part of turn.parts) {
      bytes += textBytes(part);
      tokens += mediaTokens(part);
    }
  }
  for (const tool of conversation.tools) bytes += toolBytes(tool);
  return tokens + Math.ceil(bytes / BYTES_PER_TOKEN);
}

function textBytes(part: Part): number {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return Buffer.byteLength(part.text);
    case 'tool_call':
      return Buffer.byteLength(part.name) + Buffer.byteLength(compactJson(part.arguments));
    case 'tool_result':
      return part.parts.reduce((sum, inner) => sum + textBytes(inner), 0);
    case 'file':
      return Buffer.byteLength(part.text ?? '');
    case 'image':
    case 'audio':
    case 'reasoning':
      return 0;
    default:
      return part satisfies never;
  }
}

function mediaTokens(part: Part): number {
  switch (part.kind) {
    case 'image':
      return part.low ? TOKENS_PER_LOW_DETAIL_IMAGE : TOKENS_PER_IMAGE;
    case 'file':
      return part.source === 'text' ? 0 : TOKENS_PER_FILE;
    case 'audio':
      return Math.ceil(part.characters / AUDIO_CHARACTERS_PER_TOKEN);
    case 'tool_result':
      return part.parts.reduce((sum, inner) => sum + mediaTokens(inner), 0);
    case 'text':
    case 'refusal':
    case 'tool_call':
    case 'reasoning':
      return 0;
    default:
      return part satisfies never;
  }
}

/** A schema without properties does not count: some protocols omit it, others write an empty one. */
function toolBytes(tool: ToolSpec): number {
  const properties = tool.schema?.['properties'];
  const empty = typeof properties !== 'object' || properties === null || Object.keys(properties).length === 0;
  const schemaBytes = empty ? 0 : Buffer.byteLength(JSON.stringify(tool.schema));
  return Buffer.byteLength(tool.name) + Buffer.byteLength(tool.description) + schemaBytes;
}

/** JSON without white space, which not every protocol preserves; other text unchanged; `{}` for no arguments. */
function compactJson(text: string): string {
  if (text === '') return '{}';
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
