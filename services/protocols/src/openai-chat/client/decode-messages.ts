import type { Message } from '../../canonical/message.ts';
import type { CacheHint, InputPart, TextPart, ToolCallPart } from '../../canonical/part.ts';
import { restoredTurns } from '../../canonical/restore-opaques.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, mapInStages, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { decodeCacheControl } from '../shared/cache.ts';
import { decodeAssistant } from '../shared/decode-assistant.ts';
import { decodeAudio, decodeFile, decodeImage } from '../shared/media.ts';
import type { ChatMessage } from '../shared/schema.ts';

type User = Extract<ChatMessage, { role: 'user' }>;
type InputContent = User['content'];
type ContentPart = Exclude<InputContent, string>[number];
type Result = Extract<ChatMessage, { role: 'tool' | 'function' }>;

/** Members of messages that are decoded here, or that only the client's SDK uses. */
const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'refusal',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'audio',
  'annotations',
  'images',
  'prefix',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'cache_control',
  'parsed',
]);

/** Reads the turns of a conversation, in normal form. */
export function* decodeMessages(messages: readonly ChatMessage[], diagnostics: Diagnostics): Stages<Message[]> {
  const reader = new MessageReader(diagnostics);
  const read: Message[] = [];
  for (const [i, message] of messages.entries()) {
    const turn = yield* reader.read(message, `messages[${i}]`);
    if (turn !== undefined) read.push(turn);
    if (isTurnOver()) yield;
  }
  const turns = yield* restoredTurns(read);
  if (turns.length === 0) diagnostics.reject('messages', 'expected at least one message with content');
  return turns;
}

class MessageReader {
  readonly #diagnostics: Diagnostics;
  /** The kind of tool of each call. */
  readonly #kinds = new Map<string, ToolCallPart['kind']>();
  /** Generated ids of the older `function_call` messages, by the function's name. */
  readonly #unanswered = new Map<string, { readonly ids: string[]; next: number }>();
  readonly #warned = new Set<string>();
  #given = 0;

  constructor(diagnostics: Diagnostics) {
    this.#diagnostics = diagnostics;
  }

  *read(message: ChatMessage, at: string): Stages<Message | undefined> {
    this.#warnOfUnknown(message, at);
    switch (message.role) {
      case 'system':
      case 'developer': {
        const parts = yield* textParts(message.content, `${at}.content`);
        return { role: message.role, parts: hinted(parts, message), ...nameOf(message), at };
      }
      case 'user': {
        const parts = yield* this.#inputParts(message.content, `${at}.content`);
        return { role: 'user', parts: hinted(withoutEmpty(parts, true), message), ...nameOf(message), at };
      }
      case 'assistant':
        return yield* this.#assistant(message, at);
      case 'tool':
        return yield* this.#tool(message, message.tool_call_id, `${at}.tool_call_id`, at);
      case 'function':
        return yield* this.#tool(message, this.#nextUnanswered(message.name), `${at}.name`, at);
      default:
        return message satisfies never;
    }
  }

  *#assistant(message: Extract<ChatMessage, { role: 'assistant' }>, at: string): Stages<Message> {
    const parts = yield* decodeAssistant(message, { at, callId: () => `call_function_${this.#given++}` });
    for (const part of parts) {
      if (part.type !== 'tool-call') continue;
      this.#kinds.set(part.id, part.kind);
      if (message.function_call !== undefined && part.at === `${at}.function_call`) this.#await(part);
    }
    return { role: 'assistant', parts: hinted(parts, message), ...nameOf(message), at };
  }

  #await({ name, id }: ToolCallPart): void {
    const unanswered = this.#unanswered.get(name);
    if (unanswered === undefined) this.#unanswered.set(name, { ids: [id], next: 0 });
    else unanswered.ids.push(id);
  }

  #nextUnanswered(name: string): string | undefined {
    const unanswered = this.#unanswered.get(name);
    return unanswered?.ids[unanswered.next++];
  }

  *#tool(message: Result, callId: string | undefined, field: string, at: string): Stages<Message | undefined> {
    const kind = callId === undefined ? undefined : this.#kinds.get(callId);
    if (callId === undefined || kind === undefined) {
      this.#diagnostics.reject(field, 'does not match a tool call of an earlier message');
      return undefined;
    }
    const content = message.content ?? '';
    const parts = withoutEmpty(yield* this.#inputParts(content, `${at}.content`), false);
    return {
      role: 'tool',
      parts: [{ type: 'tool-result', callId, kind, parts, isError: false, ...hintOf(message), at }],
      at,
    };
  }

  *#inputParts(content: InputContent, at: string): Stages<InputPart[]> {
    if (typeof content === 'string') return [{ type: 'text', text: content, at }];
    return yield* mapInStages(content, (part, i) => this.#inputPart(part, `${at}[${i}]`));
  }

  #inputPart(part: ContentPart, at: string): InputPart | undefined {
    const cache = decodeCacheControl(part);
    switch (part.type) {
      case 'text':
        return { type: 'text', text: part.text, ...cache, at };
      case 'image_url': {
        const image = decodeImage(part.image_url, at, this.#diagnostics);
        return image === undefined ? undefined : { ...image, ...cache };
      }
      case 'input_audio':
        return { ...decodeAudio(part.input_audio, at), ...cache };
      case 'file': {
        const file = decodeFile(part.file, at, this.#diagnostics);
        return file === undefined ? undefined : { ...file, ...cache };
      }
      default:
        return part satisfies never;
    }
  }

  /** One warning for each name: clients with members of their own have them in every message. */
  #warnOfUnknown(message: JsonRecord, at: string): void {
    for (const [key, value] of Object.entries(message)) {
      if (KNOWN_MEMBERS.has(key) || value === null || this.#warned.has(key)) continue;
      this.#warned.add(key);
      this.#diagnostics.warn(`${at}.${key}`, "not passed on to this model's provider");
    }
  }
}

function* textParts(content: string | readonly { readonly text: string }[], at: string): Stages<TextPart[]> {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content, at }];
  return yield* mapInStages(content, (part, i): TextPart | undefined =>
    part.text === ''
      ? undefined
      : { type: 'text', text: part.text, ...decodeCacheControl({ ...part }), at: `${at}[${i}]` },
  );
}

/** Empty texts are dropped, since some providers reject them. */
function withoutEmpty(parts: readonly InputPart[], keepOne: boolean): readonly InputPart[] {
  const kept = parts.filter((part) => part.type !== 'text' || part.text !== '');
  return kept.length === 0 && keepOne ? parts.slice(0, 1) : kept;
}

function nameOf({ name }: { readonly name?: string | null | undefined }): { readonly name?: string } {
  return typeof name === 'string' && name !== '' ? { name } : {};
}

function hintOf(message: JsonRecord): { readonly cache?: CacheHint } {
  return 'cache_control' in message ? decodeCacheControl({ cache_control: message['cache_control'] }) : {};
}

/** A hint on a message applies to its last part. */
function hinted<T extends { readonly type: string }>(parts: readonly T[], message: JsonRecord): readonly T[] {
  const { cache } = hintOf(message);
  const last = parts.at(-1);
  if (cache === undefined || last === undefined || last.type === 'reasoning' || last.type === 'refusal') return parts;
  return [...parts.slice(0, -1), { ...last, cache }];
}
