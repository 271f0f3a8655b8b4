import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

/** The generated text of a block, buffered or at the beginning of a streamed block, for counting it. */
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

/** The generated text of a message's content. */
export function textOfContent(content: unknown): string {
  return Array.isArray(content) ? content.map((block) => textOfBlock(recordOr(block))).join('') : '';
}

/** The input of a call; empty at the beginning of a stream. */
function textOfInput(input: unknown): string {
  const text = JSON.stringify(input);
  return text === undefined || text === '{}' ? '' : text;
}

/** The generated text of a delta. */
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

/** Whether a block has the result of a tool that the provider ran, after which the model reads the conversation again. */
export function isProviderResult({ type }: JsonRecord): boolean {
  return typeof type === 'string' && type.endsWith('_tool_result');
}

/** Whether a block has the results of a search. Searches that failed are not billed. */
export function isBilledSearch({ type, content }: JsonRecord): boolean {
  return type === 'web_search_tool_result' && Array.isArray(content);
}
