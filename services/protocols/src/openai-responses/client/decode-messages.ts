import type { Message } from '../../canonical/message.ts';
import type { OutputPart, TextPart, ToolResultPart } from '../../canonical/part.ts';
import { restoredTurns } from '../../canonical/restore-opaques.ts';
import type { Tool } from '../../canonical/tool.ts';
import { isTurnOver, mapInStages, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { decodeCitations } from '../shared/citations.ts';
import { decodeReasoning } from '../shared/reasoning.ts';
import type { ContentPart, ItemOf, ToolOutput } from '../shared/schema.ts';
import { isPlainCall, joinedName, plainNames } from '../shared/tool-names.ts';
import { decodeCacheBreakpoint, decodeInputPart, decodeInputParts } from './decode-parts.ts';
import type { InputItem } from './items.ts';
import { OtherItems } from './other-items.ts';
import type { ParsedRequest } from './parse.ts';
import type { ResponsesPolicy } from './policy-result.ts';

/** A conversation, and the tools declared within it. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
}

/** Decodes `instructions` and `input`, without dropped items. */
export function* decodeMessages(
  { request, items }: ParsedRequest,
  policy: Pick<ResponsesPolicy, 'droppedItems' | 'droppedItemTools'>,
  diagnostics: Diagnostics,
): Stages<Conversation> {
  const messages: Message[] = [];
  const { instructions, input } = request;
  if (typeof instructions === 'string' && instructions !== '') {
    const at = 'instructions';
    messages.push({ role: 'system', parts: [{ type: 'text', text: instructions, at }], at });
  }
  if (typeof input === 'string' && input !== '') {
    messages.push({ role: 'user', parts: [{ type: 'text', text: input, at: 'input' }], at: 'input' });
  }
  const others = new OtherItems(diagnostics);
  const plain = plainNames(request.tools ?? []);
  for (const [index, item] of items.entries()) {
    if (isTurnOver()) yield;
    if (policy.droppedItems.has(index)) continue;
    const at = `input[${index}]`;
    const message =
      item.kind === 'other'
        ? yield* others.decode(item, at, policy.droppedItemTools.get(index))
        : yield* decodeItem(item, at, plain, diagnostics);
    if (message !== undefined) messages.push(message);
  }
  return { messages: yield* restoredTurns(messages), tools: others.tools };
}

type KnownItem = Exclude<InputItem, { readonly kind: 'other' }>;

function* decodeItem(
  read: KnownItem,
  at: string,
  plain: ReadonlySet<string>,
  diagnostics: Diagnostics,
): Stages<Message> {
  switch (read.kind) {
    case 'message':
      return yield* decodeMessage(read.item, at, diagnostics);
    case 'function_call': {
      const { call_id: id, arguments: input } = read.item;
      return assistant({ type: 'tool-call', kind: 'function', id, name: calledName(read.item, plain), input, at }, at);
    }
    case 'custom_tool_call': {
      const { call_id: id, input } = read.item;
      return assistant({ type: 'tool-call', kind: 'custom', id, name: calledName(read.item, plain), input, at }, at);
    }
    case 'function_call_output':
      return yield* toolResult('function', read.item.call_id, read.item.output, at, diagnostics);
    case 'custom_tool_call_output':
      return yield* toolResult('custom', read.item.call_id, read.item.output, at, diagnostics);
    case 'reasoning': {
      const part = decodeReasoning(read.item);
      return part === undefined ? { role: 'assistant', parts: [], at } : assistant({ ...part, at }, at);
    }
    default:
      return read satisfies never;
  }
}

function calledName(call: ItemOf<'function_call' | 'custom_tool_call'>, plain: ReadonlySet<string>): string {
  return isPlainCall(call, plain) ? call.name : joinedName(call.name, call.namespace);
}

function assistant(part: OutputPart, at: string): Message {
  return { role: 'assistant', parts: [part], at };
}

function* decodeMessage(item: ItemOf<'message'>, at: string, diagnostics: Diagnostics): Stages<Message> {
  const { role, content } = item;
  const inside = `${at}.content`;
  switch (role) {
    case 'system':
    case 'developer':
      return { role, parts: yield* decodeInstructions(content, inside, diagnostics), at };
    case 'user':
      return { role, parts: yield* decodeInputParts(content, inside, diagnostics), at };
    case 'assistant':
      return { role, parts: yield* decodeOutput(content, inside, diagnostics), at };
    default:
      return role satisfies never;
  }
}

type Content = ItemOf<'message'>['content'];

function* decodeInstructions(content: Content, at: string, diagnostics: Diagnostics): Stages<TextPart[]> {
  const parts = yield* decodeInputParts(content, at, diagnostics);
  return parts.flatMap((part) => {
    if (part.type === 'text') return [part];
    diagnostics.reject(part.at, 'instructions must be text');
    return [];
  });
}

function* decodeOutput(content: Content, at: string, diagnostics: Diagnostics): Stages<OutputPart[]> {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, at }];
  return yield* mapInStages(content, (part, index) => decodeOutputPart(part, `${at}[${index}]`, diagnostics));
}

function decodeOutputPart(part: ContentPart, at: string, diagnostics: Diagnostics): OutputPart | undefined {
  if (part.type === 'refusal') return { type: 'refusal', text: part.refusal, at };
  if (part.type === 'output_text' && part.text !== '') {
    const citations = decodeCitations(part.annotations);
    return {
      type: 'text',
      text: part.text,
      ...(citations.length > 0 && { citations }),
      at,
      ...decodeCacheBreakpoint(part),
    };
  }
  const read = decodeInputPart(part, at, diagnostics);
  if (read?.type !== 'file') return read;
  diagnostics.reject(at, 'assistant messages cannot contain files');
  return undefined;
}

function* toolResult(
  kind: 'function' | 'custom',
  callId: string,
  output: ToolOutput,
  at: string,
  diagnostics: Diagnostics,
): Stages<Message> {
  const parts = yield* decodeInputParts(output, `${at}.output`, diagnostics);
  const result: ToolResultPart = { type: 'tool-result', kind, callId, parts, isError: false, at };
  return { role: 'tool', parts: [result], at };
}
