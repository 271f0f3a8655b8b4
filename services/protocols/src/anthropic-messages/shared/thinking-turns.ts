import { isRecord, type JsonRecord } from '../../json/record.ts';

/**
 * Whether the assistant's last turn is continued, or has calls, without reasoning at its beginning. With a thinking budget
 * Anthropic rejects such a request.
 */
export function lacksThoughts(messages: unknown): boolean {
  if (!Array.isArray(messages)) return false;
  const list = messages.filter(isRecord);
  const last = list.findLast((message) => message['role'] === 'assistant');
  const content = last?.['content'];
  if (!Array.isArray(content)) return false;
  const blocks = content.filter(isRecord);
  const isGoneOnWith = last === list.at(-1) || blocks.some((block) => block['type'] === 'tool_use');
  const [first] = blocks;
  return isGoneOnWith && first !== undefined && !isThought(first);
}

/** Whether it is a reasoning block, redacted or not. */
export function isThought({ type }: JsonRecord): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
