import { isForeignOpaque } from '../../canonical/opaque.ts';
import { elementsOf } from '../../json/elements.ts';
import { memberOf } from '../../json/object.ts';
import { scanObject } from '../../json/scan.ts';
import { splice } from '../../json/splice.ts';
import type { Block } from '../messages/block-schema.ts';
import type { InputMessage, MessagesRequest } from '../schema.ts';
import { type Findings, note } from './guard.ts';
import type { ReadRequest } from './read.ts';

/**
 * Leaves out thoughts that Anthropic could not verify, so that it would refuse the request: those another provider's model
 * had earlier in the conversation, and those without a signature.
 */
export function guardThoughts(read: ReadRequest, { warnings, edits }: Findings): void {
  const { object, request } = read;
  const member = memberOf(object, 'messages');
  if (member === undefined || !request.messages.some(hasForeignThoughts)) return;
  const texts: string[] = [];
  for (const [index, span] of elementsOf(object, member).entries()) {
    const message = request.messages[index];
    const bytes = object.bytes.subarray(span.start, span.end);
    const text = message !== undefined && hasForeignThoughts(message) ? withoutThoughts(bytes, message) : bytes;
    if (text !== undefined) texts.push(text.toString('utf8'));
  }
  edits.push({ op: 'set', path: ['messages'], json: `[${texts.join(',')}]` });
  const first = request.messages.findIndex(hasForeignThoughts);
  warnings.push(
    note(`messages[${first}]`, "earlier thoughts that are not this provider's own are not passed on to it"),
  );
  if (request.thinking?.type === 'enabled' && lacksThoughts(request)) {
    warnings.push(
      note('thinking', 'left out, since the turn that calls the tools came without thoughts of this provider'),
    );
    edits.push({ op: 'remove', path: ['thinking'] });
  }
}

/** Blocks of thought by another provider, or by nobody. */
export function isForeignThought(block: Block): boolean {
  if (block.type === 'thinking') {
    return block.signature === '' || isForeignOpaque(block.signature, 'anthropic-messages');
  }
  return block.type === 'redacted_thinking' && isForeignOpaque(block.data, 'anthropic-messages');
}

function hasForeignThoughts(message: InputMessage): boolean {
  return message.role === 'assistant' && Array.isArray(message.content) && message.content.some(isForeignThought);
}

/** Undefined when nothing else was in the message; Anthropic takes no empty turns. */
function withoutThoughts(bytes: Buffer, message: InputMessage): Buffer | undefined {
  const scanned = scanObject(bytes, { maxDepth: Number.POSITIVE_INFINITY, uniqueKeys: false, within: [] });
  const member = scanned.ok ? memberOf(scanned.object, 'content') : undefined;
  if (!scanned.ok || member === undefined || message.role !== 'assistant') return bytes;
  const blocks = typeof message.content === 'string' ? [] : message.content;
  const texts: string[] = [];
  for (const [index, span] of elementsOf(scanned.object, member).entries()) {
    const block = blocks[index];
    if (block !== undefined && !isForeignThought(block)) texts.push(bytes.toString('utf8', span.start, span.end));
  }
  if (texts.length === 0) return undefined;
  return splice(scanned.object, [{ op: 'set', path: ['content'], json: `[${texts.join(',')}]` }]);
}

/**
 * With a budget for thinking, Anthropic takes results of tools only after a turn that begins with a thought. Models that
 * decide themselves how much they think take them anyway.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking#extended-thinking-with-tool-use
 */
function lacksThoughts(request: MessagesRequest): boolean {
  const last = request.messages.findLast((message) => message.role === 'assistant');
  if (last === undefined || !Array.isArray(last.content)) return false;
  if (!last.content.some((block) => block.type === 'tool_use')) return false;
  const [first] = last.content.filter((block) => !isForeignThought(block));
  return first?.type !== 'thinking' && first?.type !== 'redacted_thinking';
}
