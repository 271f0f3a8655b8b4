import { withOwnReasoning } from '../../canonical/foreign-reasoning.ts';
import type { Message } from '../../canonical/message.ts';
import type { CacheHint, FilePart, OutputPart, ToolResultPart } from '../../canonical/part.ts';
import { encodeResultPart } from '../../canonical/result-media.ts';
import { inputObject, providerToolId, type ToolIdRule } from '../../canonical/tool-call.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, mapInStages, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { encodeCacheControl } from '../shared/cache.ts';
import { encodeReasoning } from '../shared/reasoning.ts';
import { isThought } from '../shared/thinking-turns.ts';
import { encodeDocument, encodeImage } from './media.ts';

/** Anthropic's rule for ids of calls. */
const TOOL_ID: ToolIdRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 };

/** A block with its source part, so that its path can be recorded. */
interface Placed {
  readonly block: JsonRecord;
  readonly at: string | undefined;
}

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly at: string | undefined;
  /** Results of tools, which must come first in a user's turn. */
  readonly results: Placed[];
  readonly others: Placed[];
}

/**
 * Encodes the conversation under Anthropic's rules: alternating user and assistant turns, the user's first, tool results at
 * the beginning of user turns, no blank text, no reasoning at the end of an assistant turn, and no white space at the end
 * of the last one.
 */
export function* encodeTurns(
  messages: readonly Message[],
  { unsignedThinking }: ModelParameters,
  diagnostics: Diagnostics,
): Stages<JsonRecord[]> {
  const turns: Turn[] = [];
  for (const message of yield* withOwnReasoning(messages, 'anthropic-messages', diagnostics, unsignedThinking)) {
    yield* addMessage(turns, message, diagnostics);
    if (isTurnOver()) yield;
  }
  trimLast(turns);
  beginWithUser(turns, diagnostics);
  if (turns.length === 0 && diagnostics.errors.length === 0) {
    diagnostics.reject(messages[0]?.at, "this model's provider does not accept a conversation without text");
  }
  const written: JsonRecord[] = [];
  for (const [i, turn] of turns.entries()) {
    const path = `messages[${i}]`;
    diagnostics.placed(path, turn.at);
    const content: JsonRecord[] = [];
    for (const { block, at } of [...turn.results, ...turn.others]) {
      diagnostics.placed(`${path}.content[${content.length}]`, at);
      content.push(block);
      if (isTurnOver()) yield;
    }
    written.push({ role: turn.role, content });
  }
  return written;
}

function* addMessage(turns: Turn[], message: Message, diagnostics: Diagnostics): Stages<void> {
  if (message.role === 'system' || message.role === 'developer') return;
  if ('name' in message && message.name !== undefined) {
    diagnostics.warn(message.at, "the participant's name is not passed on to this model's provider");
  }
  const results: Placed[] = [];
  const others: Placed[] = [];
  for (const part of message.parts) {
    if (isTurnOver()) yield;
    const at = part.at ?? message.at;
    if (part.type === 'tool-result') results.push({ block: yield* resultBlock(part, at, diagnostics), at });
    else if (part.type === 'image' && message.role === 'assistant') {
      diagnostics.reject(at, "this model's provider does not accept images from the assistant");
    } else {
      const block = blockOf(part, at, diagnostics);
      if (block !== undefined) others.push({ block: 'cache' in part ? cached(block, part.cache) : block, at });
    }
  }
  if (message.role === 'assistant') dropLastThoughts(others, diagnostics);
  if (results.length + others.length === 0) return;
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const last = turns.at(-1);
  const turn: Turn = last?.role === role ? last : { role, at: message.at, results: [], others: [] };
  if (turn !== last) turns.push(turn);
  for (const result of results) turn.results.push(result);
  for (const other of others) turn.others.push(other);
}

/** Reasoning without output after it, such as that of a response that was cut off. */
function dropLastThoughts(blocks: Placed[], diagnostics: Diagnostics): void {
  for (let last = blocks.at(-1); last !== undefined && isThought(last.block); last = blocks.at(-1)) {
    diagnostics.warn(last.at, "reasoning without output after it is not passed on to this model's provider");
    blocks.pop();
  }
}

/** Anthropic rejects conversations that begin with the assistant. */
function beginWithUser(turns: Turn[], diagnostics: Diagnostics): void {
  const [first] = turns;
  if (first?.role !== 'assistant') return;
  diagnostics.warn(first.at, 'a short user turn is added before it, since this provider requires one first');
  turns.unshift({ role: 'user', at: undefined, results: [], others: [{ block: OPENING, at: undefined }] });
}

const OPENING: JsonRecord = { type: 'text', text: '(The assistant begins.)' };

function cached(block: JsonRecord, hint: CacheHint | undefined): JsonRecord {
  return hint === undefined ? block : { ...block, cache_control: encodeCacheControl(hint) };
}

function blockOf(
  part: OutputPart | FilePart,
  at: string | undefined,
  diagnostics: Diagnostics,
): JsonRecord | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? undefined : { type: 'text', text: part.text };
    case 'image':
      return encodeImage(part, at, diagnostics);
    case 'file':
      return encodeDocument(part, at, diagnostics);
    case 'audio':
      diagnostics.reject(at, "this model's provider does not accept audio");
      return undefined;
    case 'reasoning':
      return part.opaque === undefined
        ? { type: 'thinking', thinking: part.text, signature: '' }
        : encodeReasoning(part);
    case 'tool-call':
      return {
        type: 'tool_use',
        id: providerToolId(part.id, TOOL_ID),
        name: part.name,
        input: inputObject(part.input),
      };
    default:
      return part satisfies never;
  }
}

function* resultBlock(part: ToolResultPart, at: string | undefined, diagnostics: Diagnostics): Stages<JsonRecord> {
  const content = yield* mapInStages(part.parts, (inner) => {
    const block = encodeResultPart(inner, diagnostics, (one, own) => blockOf(one, one.at ?? at, own));
    return block === undefined ? undefined : cached(block, inner.cache);
  });
  const isErrorStated = part.isError && content.some((block) => block['type'] !== 'text');
  if (isErrorStated) {
    diagnostics.warn(
      at,
      'the failure of the tool is stated in the text of its result, since this provider marks failures only in text results',
    );
    content.unshift({ type: 'text', text: 'The tool call failed:' });
  }
  const block = {
    type: 'tool_result',
    tool_use_id: providerToolId(part.callId, TOOL_ID),
    ...(content.length > 0 && { content }),
    ...(part.isError && !isErrorStated && { is_error: true }),
  };
  return cached(block, part.cache);
}

/** Anthropic continues a last turn of the assistant, and rejects white space at its end. */
function trimLast(turns: Turn[]): void {
  const turn = turns.at(-1);
  const last = turn?.others.at(-1);
  if (turn?.role !== 'assistant' || last?.block['type'] !== 'text') return;
  const text = String(last.block['text']).trimEnd();
  turn.others[turn.others.length - 1] = { ...last, block: { ...last.block, text } };
}
