import { unwrapReasoning } from '../model/wrapped-reasoning.ts';
import { WEB_RESULT } from './blocks.ts';
import { cacheFault } from './check-cache.ts';
import { modelFault } from './check-model.ts';
import { thinkingFault } from './check-thinking.ts';
import { toolTurnsFault } from './check-tool-turns.ts';
import { toolsFault } from './check-tools.ts';
import type { CountBody, InputBlock, InputMessage, MessagesBody } from './schema.ts';

/** The first reason why Anthropic would reject a body that fits the schema. */
export function faultOf(body: CountBody | MessagesBody): string | undefined {
  return (
    contentFault(body) ??
    stopFault(body) ??
    toolsFault(body) ??
    toolTurnsFault(body.messages) ??
    thinkingFault(body) ??
    cacheFault(body) ??
    modelFault(body)
  );
}

function contentFault(body: CountBody): string | undefined {
  const { system, messages } = body;
  if (Array.isArray(system)) {
    const index = system.findIndex((block) => block.text === '');
    if (index >= 0) return `system.${index}: text content blocks must be non-empty`;
  }
  if (messages[0]?.role === 'assistant') return 'messages: first message must use the "user" role';
  for (const [index, message] of messages.entries()) {
    const fault = messageFault(message, index, index === messages.length - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function messageFault(message: InputMessage, index: number, last: boolean): string | undefined {
  const path = `messages.${index}`;
  const { role, content } = message;
  if (content.length === 0 && !(last && role === 'assistant'))
    return `${path}: ${role} messages must have non-empty content`;
  if (typeof content === 'string') {
    if (last && role === 'assistant' && /\s$/.test(content)) return TRAILING_SPACE;
    return content.trim() === '' && content !== ''
      ? 'messages: text content blocks must contain non-whitespace text'
      : undefined;
  }
  for (const [at, block] of content.entries()) {
    const fault = blockFault(block, `${path}.content.${at}`);
    if (fault !== undefined) return fault;
  }
  const final = content.at(-1);
  if (last && role === 'assistant' && final?.type === 'text' && /\s$/.test(final.text)) return TRAILING_SPACE;
  return undefined;
}

const TRAILING_SPACE = 'messages: final assistant content cannot end with trailing whitespace';

function blockFault(block: InputBlock, path: string): string | undefined {
  switch (block.type) {
    case 'text':
      if (block.text === '') return 'messages: text content blocks must be non-empty';
      return block.text.trim() === '' ? 'messages: text content blocks must contain non-whitespace text' : undefined;
    case 'image':
    case 'document':
      return block.source.type === 'file' ? `${path}.source: file not found: ${block.source.file_id}` : undefined;
    case 'tool_result': {
      if (!Array.isArray(block.content)) return undefined;
      if (block.is_error === true && block.content.some((inner) => inner.type !== 'text')) {
        return `${path}: all content must be type \`text\` if \`is_error\` is true`;
      }
      for (const [at, inner] of block.content.entries()) {
        const fault = blockFault(inner, `${path}.content.${at}`);
        if (fault !== undefined) return fault;
      }
      return undefined;
    }
    case 'web_search_tool_result':
      return Array.isArray(block.content) && !block.content.every(isOwnResult)
        ? `${path}.content: Invalid \`encrypted_content\` in \`web_search_result\``
        : undefined;
    case 'server_tool_use':
    case 'web_fetch_tool_result':
    case 'tool_search_tool_result':
    case 'search_result':
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
    case 'tool_reference':
      return undefined;
    default:
      return block satisfies never;
  }
}

function isOwnResult({ url, encrypted_content: content }: { url: string; encrypted_content: string }): boolean {
  return unwrapReasoning(WEB_RESULT, content)?.text === url;
}

function stopFault(body: CountBody | MessagesBody): string | undefined {
  if (!('stop_sequences' in body) || !Array.isArray(body.stop_sequences)) return undefined;
  const index = body.stop_sequences.findIndex((sequence) => String(sequence).trim() === '');
  return index < 0 ? undefined : `stop_sequences.${index}: each stop sequence must contain non-whitespace`;
}
