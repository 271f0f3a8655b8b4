import { type JsonRecord, stringOr } from '../../json/record.ts';

/** The text that was generated in a block of a buffered response, or that a block of a stream begins with, for counting it. */
export function textOfBlock(block: JsonRecord): string {
  switch (block['type']) {
    case 'text':
      return stringOr(block['text']);
    case 'thinking':
      return stringOr(block['thinking']);
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return stringOr(block['name']) + textOfInput(block['input']);
    default:
      return '';
  }
}

/** The input of a call; a stream begins with an empty one. */
function textOfInput(input: unknown): string {
  const text = JSON.stringify(input);
  return text === undefined || text === '{}' ? '' : text;
}

/** What a delta adds. */
export function textOfDelta(delta: JsonRecord): string {
  switch (delta['type']) {
    case 'text_delta':
      return stringOr(delta['text']);
    case 'thinking_delta':
      return stringOr(delta['thinking']);
    case 'input_json_delta':
      return stringOr(delta['partial_json']);
    default:
      return '';
  }
}
