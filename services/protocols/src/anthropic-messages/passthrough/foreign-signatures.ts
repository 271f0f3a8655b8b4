import { isForeignOpaque } from '../../canonical/opaque.ts';
import { elementsOf } from '../../json/elements.ts';
import { memberOf } from '../../json/object.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { Block } from '../shared/block-schema.ts';
import { isForeignCitation } from '../shared/citations.ts';
import type { InputMessage, MessagesRequest } from '../shared/schema.ts';

const LIMITS = { maxDepth: Number.POSITIVE_INFINITY, uniqueKeys: false, within: [] };

export interface ForeignSignatures {
  readonly warnings: readonly Diagnostic[];
  readonly edits: readonly Edit[];
}

/**
 * Removes what Anthropic could not verify and would reject: reasoning of other providers' models in earlier turns,
 * reasoning without a signature, and citations of pages that it did not find itself.
 */
export function dropForeignSignatures({ object, request }: ParsedRequest): ForeignSignatures {
  const warnings: Diagnostic[] = [];
  const edits: Edit[] = [];
  const member = memberOf(object, 'messages');
  if (member === undefined || !request.messages.some(isForeign)) return { warnings, edits };
  const texts: string[] = [];
  for (const [index, span] of elementsOf(object, member).entries()) {
    const message = request.messages[index];
    const bytes = object.bytes.subarray(span.start, span.end);
    const text = message !== undefined && isForeign(message) ? withoutForeign(bytes, message) : bytes;
    if (text !== undefined) texts.push(text.toString('utf8'));
  }
  edits.push({ op: 'set', path: ['messages'], json: `[${texts.join(',')}]` });
  const first = request.messages.findIndex((message) => blocksOf(message).some(isForeignThought));
  if (first === -1) return { warnings, edits };
  warnings.push(
    diagnostic(`messages[${first}]`, "reasoning of another provider is not passed on to this model's provider"),
  );
  if (request.thinking?.type === 'enabled' && lacksThoughts(request)) {
    warnings.push(
      diagnostic('thinking', 'left out, since the turn that calls the tools has no reasoning of this provider'),
    );
    edits.push({ op: 'remove', path: ['thinking'] });
  }
  return { warnings, edits };
}

function isForeign(message: InputMessage): boolean {
  return blocksOf(message).some((block) => isForeignThought(block) || hasForeignCitation(block));
}

function blocksOf(message: InputMessage): readonly Block[] {
  return message.role === 'assistant' && typeof message.content !== 'string' ? message.content : [];
}

function isForeignThought(block: Block): boolean {
  if (block.type === 'thinking') {
    return !block.signature || isForeignOpaque(block.signature, 'anthropic-messages');
  }
  return block.type === 'redacted_thinking' && isForeignOpaque(block.data, 'anthropic-messages');
}

function hasForeignCitation(block: Block): boolean {
  return block.type === 'text' && (block.citations?.some(isForeignCitation) ?? false);
}

/** Undefined if the message has nothing else; Anthropic rejects empty turns. */
function withoutForeign(bytes: Buffer, message: InputMessage): Buffer | undefined {
  const scanned = scanObject(bytes, LIMITS);
  const member = scanned.ok ? memberOf(scanned.object, 'content') : undefined;
  if (!scanned.ok || member === undefined) return bytes;
  const blocks = blocksOf(message);
  const texts: string[] = [];
  for (const [index, span] of elementsOf(scanned.object, member).entries()) {
    const block = blocks[index];
    if (block === undefined || isForeignThought(block)) continue;
    const text = bytes.subarray(span.start, span.end);
    texts.push((hasForeignCitation(block) ? withoutCitations(text) : text).toString('utf8'));
  }
  if (texts.length === 0) return undefined;
  return splice(scanned.object, [{ op: 'set', path: ['content'], json: `[${texts.join(',')}]` }]);
}

function withoutCitations(block: Buffer): Buffer {
  const scanned = scanObject(block, LIMITS);
  return scanned.ok ? splice(scanned.object, [{ op: 'remove', path: ['citations'] }]) : block;
}

/**
 * With a thinking budget, Anthropic accepts tool results only after a turn that begins with reasoning. Models without
 * budgets accept them anyway.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking#extended-thinking-with-tool-use
 */
function lacksThoughts(request: MessagesRequest): boolean {
  const last = request.messages.findLast((message) => message.role === 'assistant');
  if (last === undefined) return false;
  const own = blocksOf(last).filter((block) => !isForeignThought(block));
  const [first] = own;
  return (
    own.some((block) => block.type === 'tool_use') && first?.type !== 'thinking' && first?.type !== 'redacted_thinking'
  );
}
