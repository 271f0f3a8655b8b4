import type { Message } from '../../canonical/message.ts';
import type { InputPart, OutputPart, TextPart, ToolResultPart } from '../../canonical/part.ts';
import { restoredTurns } from '../../canonical/restore-opaques.ts';
import { elementsOf, type Span } from '../../json/elements.ts';
import { memberOf } from '../../json/object.ts';
import { append, isTurnOver, mapInStages, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { hasAttribution } from '../shared/attribution.ts';
import type { Block, TextBlock } from '../shared/block-schema.ts';
import { decodeCacheControl } from '../shared/cache.ts';
import { decodeCitation } from '../shared/citations.ts';
import { decodeReasoning } from '../shared/reasoning.ts';
import type { InputMessage, MessagesRequest } from '../shared/schema.ts';
import { toolInputs } from '../shared/tool-inputs.ts';
import { decodeInputPart, decodeToolResult, warnOfUnknownMembers } from './decode-blocks.ts';
import type { ToolSet } from './decode-tools.ts';
import type { ParsedRequest } from './parse.ts';

/**
 * Decodes the turns of a conversation, the system prompt first, in normal form.
 *
 * @param tools is changed as the conversation changes them
 */
export function* decodeTurns(parsed: ParsedRequest, tools: ToolSet, diagnostics: Diagnostics): Stages<Message[]> {
  const { request } = parsed;
  const messages: Message[] = [];
  const system = yield* systemParts(request.system, diagnostics);
  if (system.length > 0) messages.push({ role: 'system', parts: system, at: 'system' });
  const inputs = new MessageInputs(parsed);
  for (let i = 0; i < request.messages.length; i++) {
    const message = request.messages[i];
    if (message === undefined) continue;
    append(messages, yield* turnsOf(message, i, { inputs, tools, diagnostics }));
    if (isTurnOver()) yield;
  }
  const turns = yield* restoredTurns(messages);
  if (turns.length === 0) diagnostics.reject('messages', 'expected at least one message with content');
  return turns;
}

function* systemParts(system: MessagesRequest['system'], diagnostics: Diagnostics): Stages<TextPart[]> {
  if (typeof system === 'string') return system === '' ? [] : [{ type: 'text', text: system, at: 'system' }];
  return yield* mapInStages(system ?? [], (block, i) =>
    i === 0 && hasAttribution(system) ? undefined : textPart(block, `system[${i}]`, diagnostics),
  );
}

interface TurnContext {
  readonly inputs: MessageInputs;
  readonly tools: ToolSet;
  readonly diagnostics: Diagnostics;
}

function* turnsOf(message: InputMessage, index: number, context: TurnContext): Stages<Message[]> {
  const { inputs, diagnostics } = context;
  const at = `messages[${index}]`;
  switch (message.role) {
    case 'system':
      return [{ role: 'system', parts: yield* instructionParts(message, at, context), at }];
    case 'user':
      return yield* userTurns(message, at, context);
    case 'assistant':
      return [{ role: 'assistant', parts: yield* outputParts(message, index, inputs, diagnostics), at }];
    default:
      return message satisfies never;
  }
}

function* instructionParts(
  message: Extract<InputMessage, { role: 'system' }>,
  at: string,
  { tools, diagnostics }: TurnContext,
): Stages<TextPart[]> {
  const { content, clear_at: clearAt, output_config: config } = message;
  if (clearAt === 'next_user_message') diagnostics.warn(`${at}.clear_at`, "not passed on to this model's provider");
  if (config?.['effort'] !== undefined) {
    diagnostics.warn(`${at}.output_config`, "not passed on to this model's provider");
  }
  if (typeof content === 'string') return [{ type: 'text', text: content, at: `${at}.content` }];
  return yield* mapInStages(content ?? [], (block, i) => {
    const place = `${at}.content[${i}]`;
    if (block.type === 'text') return textPart(block, place, diagnostics);
    tools.change(block.type, block.tool, place);
    return undefined;
  });
}

/** Tool results become a turn of their own. */
function* userTurns(
  message: Extract<InputMessage, { role: 'user' }>,
  at: string,
  { tools, diagnostics }: TurnContext,
): Stages<Message[]> {
  const { content } = message;
  if (typeof content === 'string') {
    return [{ role: 'user', parts: [{ type: 'text', text: content, at: `${at}.content` }], at }];
  }
  const turns: Message[] = [];
  for (let i = 0; i < content.length; i++) {
    const block = content[i];
    if (block === undefined) continue;
    if (isTurnOver()) yield;
    const place = `${at}.content[${i}]`;
    if (block.type === 'tool_addition' || block.type === 'tool_removal') tools.change(block.type, block.tool, place);
    else if (block.type === 'tool_result') turns.push(toolTurn(yield* decodeToolResult(block, place, diagnostics), at));
    else {
      const part = userPart(block, place, diagnostics);
      if (part !== undefined) turns.push({ role: 'user', parts: [part], at });
    }
  }
  return turns;
}

function toolTurn(part: ToolResultPart, at: string): Message {
  return { role: 'tool', parts: [part], at };
}

function userPart(block: Block, at: string, diagnostics: Diagnostics): InputPart | undefined {
  switch (block.type) {
    case 'text':
      return textPart(block, at, diagnostics);
    case 'image':
    case 'document':
    case 'search_result':
      return decodeInputPart(block, at, diagnostics);
    case 'tool_use':
      diagnostics.reject(at, 'a tool_use must be in a turn of the assistant');
      return undefined;
    default:
      return otherPart(block, at, diagnostics);
  }
}

/**
 * Blocks that only Anthropic uses: calls and results of its own tools, which the text of the response repeats; a summary of
 * earlier turns.
 */
function otherPart(block: Block, at: string, diagnostics: Diagnostics): TextPart | undefined {
  if (block.type === 'compaction') {
    if (typeof block.content === 'string')
      return { type: 'text', text: block.content, at, ...decodeCacheControl(block.cache_control) };
    diagnostics.reject(at, 'this summary can only be read by the provider that made it; send the earlier turns');
  } else {
    diagnostics.warn(at, "not passed on to this model's provider");
  }
  return undefined;
}

function textPart(block: TextBlock, at: string, diagnostics: Diagnostics): TextPart | undefined {
  warnOfUnknownMembers(block, TEXT_MEMBERS, at, diagnostics);
  if (block.text === '') return undefined;
  return { type: 'text', text: block.text, at, ...decodeCacheControl(block.cache_control) };
}

const TEXT_MEMBERS = ['type', 'text', 'cache_control', 'citations'];
const CALL_MEMBERS = ['type', 'id', 'name', 'input', 'cache_control', 'caller'];

function* outputParts(
  message: Extract<InputMessage, { role: 'assistant' }>,
  index: number,
  messages: MessageInputs,
  diagnostics: Diagnostics,
): Stages<readonly OutputPart[]> {
  const { content } = message;
  const at = `messages[${index}].content`;
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, at }];
  const inputs = content.some((block) => block.type === 'tool_use') ? messages.of(index) : () => '{}';
  const place = (i: number) => `${at}[${i}]`;
  return yield* mapInStages(content, (block, i) => outputPart(block, place(i), () => inputs(i), diagnostics));
}

function outputPart(block: Block, at: string, input: () => string, diagnostics: Diagnostics): OutputPart | undefined {
  switch (block.type) {
    case 'text': {
      const part = textPart(block, at, diagnostics);
      const citations = block.citations?.flatMap((one) => decodeCitation(one) ?? []) ?? [];
      return part === undefined || citations.length === 0 ? part : { ...part, citations };
    }
    case 'thinking':
    case 'redacted_thinking': {
      const part = decodeReasoning(block);
      return part === undefined ? undefined : { ...part, at };
    }
    case 'tool_use': {
      warnOfUnknownMembers(block, CALL_MEMBERS, at, diagnostics);
      const call = { id: block.id, name: block.name, kind: 'function', input: input() } as const;
      return { type: 'tool-call', ...call, at, ...decodeCacheControl(block.cache_control) };
    }
    case 'image':
    case 'document':
    case 'search_result':
    case 'tool_result':
      diagnostics.reject(at, "not allowed in the assistant's turn");
      return undefined;
    default:
      return otherPart(block, at, diagnostics);
  }
}

/** Inputs are taken from the text of the request, in which numbers have all their digits. */
class MessageInputs {
  readonly #parsed: ParsedRequest;
  #spans: readonly Span[] | undefined;

  constructor(parsed: ParsedRequest) {
    this.#parsed = parsed;
  }

  /** The inputs of the calls of one message, by the index of their blocks. */
  of(index: number): (block: number) => string {
    const { object } = this.#parsed;
    this.#spans ??= this.#messages();
    const span = this.#spans[index];
    return span === undefined ? () => '{}' : toolInputs(object.bytes.subarray(span.start, span.end));
  }

  /** Found once for all messages, since it takes a pass over the complete text. */
  #messages(): readonly Span[] {
    const { object } = this.#parsed;
    const member = memberOf(object, 'messages');
    return member === undefined ? [] : elementsOf(object, member);
  }
}
