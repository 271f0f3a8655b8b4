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

const NO_CITATIONS: Edit = { op: 'remove', path: ['citations'] };
/** What clients return for reasoning of a provider that signs none. */
const EMPTY_SIGNATURE: Edit = { op: 'set', path: ['signature'], json: '""' };

export interface ForeignSignatures {
  readonly warnings: readonly Diagnostic[];
  readonly edits: readonly Edit[];
}

/**
 * Removes what Anthropic could not verify and would reject: reasoning of other providers' models in earlier turns,
 * reasoning without a signature, and citations of pages that it did not find itself.
 */
export function dropForeignSignatures(parsed: ParsedRequest): ForeignSignatures {
  const { request } = parsed;
  const warnings: Diagnostic[] = [];
  const edits = messageEdits(parsed, isForeignBlock, signedBlock);
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

/**
 * For a provider that verifies no signatures and wants the reasoning back: it stays, with an empty signature instead of
 * another provider's. Citations stay too, and reasoning that only its provider could read is left out.
 */
export function unsignForeignThoughts(parsed: ParsedRequest): ForeignSignatures {
  return { warnings: [], edits: messageEdits(parsed, hasForeignSignature, unsignedBlock) };
}

/** A block as it is sent; undefined if it is left out. */
type BlockEdit = (bytes: Buffer, block: Block) => Buffer | undefined;

function messageEdits({ object, request }: ParsedRequest, isFound: (block: Block) => boolean, edit: BlockEdit): Edit[] {
  const member = memberOf(object, 'messages');
  const hasAny = (message: InputMessage) => blocksOf(message).some(isFound);
  if (member === undefined || !request.messages.some(hasAny)) return [];
  const texts: string[] = [];
  for (const [index, span] of elementsOf(object, member).entries()) {
    const message = request.messages[index];
    const bytes = object.bytes.subarray(span.start, span.end);
    const text = message !== undefined && hasAny(message) ? editBlocks(bytes, message, edit) : bytes;
    if (text !== undefined) texts.push(text.toString('utf8'));
  }
  return [{ op: 'set', path: ['messages'], json: `[${texts.join(',')}]` }];
}

function isForeignBlock(block: Block): boolean {
  return isForeignThought(block) || hasForeignCitation(block);
}

function signedBlock(bytes: Buffer, block: Block): Buffer | undefined {
  if (isForeignThought(block)) return undefined;
  return hasForeignCitation(block) ? edited(bytes, NO_CITATIONS) : bytes;
}

function hasForeignSignature(block: Block): boolean {
  return isForeignThought(block) && (block.type !== 'thinking' || !!block.signature);
}

function unsignedBlock(bytes: Buffer, block: Block): Buffer | undefined {
  if (!hasForeignSignature(block)) return bytes;
  return block.type === 'thinking' && block.thinking !== '' ? edited(bytes, EMPTY_SIGNATURE) : undefined;
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
function editBlocks(bytes: Buffer, message: InputMessage, edit: BlockEdit): Buffer | undefined {
  const scanned = scanObject(bytes, LIMITS);
  const member = scanned.ok ? memberOf(scanned.object, 'content') : undefined;
  if (!scanned.ok || member === undefined) return bytes;
  const blocks = blocksOf(message);
  const texts: string[] = [];
  for (const [index, span] of elementsOf(scanned.object, member).entries()) {
    const block = blocks[index];
    const text = block === undefined ? undefined : edit(bytes.subarray(span.start, span.end), block);
    if (text !== undefined) texts.push(text.toString('utf8'));
  }
  if (texts.length === 0) return undefined;
  return splice(scanned.object, [{ op: 'set', path: ['content'], json: `[${texts.join(',')}]` }]);
}

function edited(block: Buffer, edit: Edit): Buffer {
  const scanned = scanObject(block, LIMITS);
  return scanned.ok ? splice(scanned.object, [edit]) : block;
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
