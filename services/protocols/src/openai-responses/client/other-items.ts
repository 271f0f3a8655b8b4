import type { Message } from '../../canonical/message.ts';
import type { InputPart, ToolResultPart } from '../../canonical/part.ts';
import type { Tool } from '../../canonical/tool.ts';
import { isRecord, isSet, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { append, isTurnOver, mapInStages, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { contentPartSchema } from '../shared/schema.ts';
import { decodeTool } from '../shared/tools.ts';
import { typedInput } from '../shared/typed-tools.ts';
import { decodeInputPart } from './decode-parts.ts';
import type { InputItem } from './items.ts';

type OtherItem = Extract<InputItem, { readonly kind: 'other' }>;

/**
 * Decodes items of types that other protocols do not have: declarations of tools, calls of the protocol's own tools that
 * the client ran, and their outputs. Calls become calls of functions, and outputs their results.
 */
export class OtherItems {
  /** The tools that items declare. */
  readonly tools: Tool[] = [];
  readonly #diagnostics: Diagnostics;
  /** Ids of calls by the ids of their items, which some outputs name instead. */
  readonly #callIds = new Map<string, string>();

  constructor(diagnostics: Diagnostics) {
    this.#diagnostics = diagnostics;
  }

  /** @param droppedTools indices of the tools to leave out */
  *decode(
    { type, item }: OtherItem,
    at: string,
    droppedTools: ReadonlySet<number> | undefined,
  ): Stages<Message | undefined> {
    switch (type) {
      case 'additional_tools':
        yield* this.#declare(item, at, droppedTools);
        return undefined;
      case 'tool_search_output': {
        const found = yield* this.#declare(item, at, droppedTools);
        const names = found.map((tool) => tool.name).join(', ');
        const text = names === '' ? 'No tools were found.' : `These tools can be called now: ${names}`;
        return this.#result(item, at, [{ type: 'text', text, at }]);
      }
      case 'agent_message':
        return yield* this.#agentMessage(item, at);
      default:
        if (type.endsWith('_call_output')) return this.#result(item, at, yield* this.#outputParts(item['output'], at));
        if (type.endsWith('_call')) return this.#call(type, item, at);
        return yield* this.#unknown(type, item, at);
    }
  }

  /** An item of an unknown type, whose content the model has to see if it has any. */
  *#unknown(type: string, item: JsonRecord, at: string): Stages<Message | undefined> {
    if (isSet(item['encrypted_content'])) {
      this.#diagnostics.reject(at, 'only its own provider can read it; remove it');
      return undefined;
    }
    const { content } = item;
    const readable = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
    const parts = yield* this.#contentParts(readable, `${at}.content`);
    if (parts.length === 0) {
      this.#diagnostics.warn(at, "left out, since this model's provider has no items of this type");
      return undefined;
    }
    this.#diagnostics.warn(at, "sent as a message of the user, since this model's provider has no items of this type");
    return { role: 'user', parts: [{ type: 'text', text: `Item of the type ${type}:`, at }, ...parts], at };
  }

  *#declare(item: JsonRecord, at: string, dropped: ReadonlySet<number> | undefined): Stages<readonly Tool[]> {
    const { tools: declared } = item;
    const found: Tool[] = [];
    if (!Array.isArray(declared)) return found;
    for (const [index, tool] of declared.entries()) {
      if (isTurnOver()) yield;
      if (dropped?.has(index) === true) continue;
      append(found, yield* decodeTool(recordOr(tool), `${at}.tools[${index}]`, this.#diagnostics));
    }
    append(this.tools, found);
    return found;
  }

  #call(type: string, item: JsonRecord, at: string): Message | undefined {
    const itemId = stringOr(item['id']);
    const id = stringOr(item['call_id']) || itemId;
    if (id === '') return this.#rejectWithoutId(at);
    if (itemId !== '') this.#callIds.set(itemId, id);
    const name = type.slice(0, -'_call'.length);
    const input = JSON.stringify(typedInput(type, item));
    return { role: 'assistant', parts: [{ type: 'tool-call', kind: 'function', id, name, input, at }], at };
  }

  #result(item: JsonRecord, at: string, parts: ToolResultPart['parts']): Message | undefined {
    const itemId = stringOr(item['id']);
    const callId = stringOr(item['call_id']) || (this.#callIds.get(itemId) ?? itemId);
    if (callId === '') return this.#rejectWithoutId(at);
    const isError = item['status'] === 'failed';
    return { role: 'tool', parts: [{ type: 'tool-result', kind: 'function', callId, parts, isError, at }], at };
  }

  #rejectWithoutId(at: string): undefined {
    this.#diagnostics.reject(`${at}.call_id`, 'required, but missing');
    return undefined;
  }

  /** A text, parts as in messages, a screenshot, or an object of the tool's own. */
  *#outputParts(output: unknown, at: string): Stages<InputPart[]> {
    const place = `${at}.output`;
    if (typeof output === 'string') return output === '' ? [] : [{ type: 'text', text: output, at: place }];
    if (output === undefined || output === null) return [];
    if (!Array.isArray(output)) return [this.#outputPart(output, place)].flatMap((part) => part ?? []);
    return yield* mapInStages(output, (part: unknown, i) => this.#outputPart(part, `${place}[${i}]`));
  }

  #outputPart(part: unknown, at: string): InputPart | undefined {
    const known = isRecord(part) && part['type'] === 'computer_screenshot' ? { ...part, type: 'input_image' } : part;
    const read = contentPartSchema.safeParse(known);
    if (read.success) return decodeInputPart(read.data, at, this.#diagnostics);
    return { type: 'text', text: JSON.stringify(part), at };
  }

  /** A message from another agent of the client's. */
  *#agentMessage({ author, content }: JsonRecord, at: string): Stages<Message | undefined> {
    const parts = yield* this.#contentParts(content, `${at}.content`);
    if (parts.length === 0) return undefined;
    const from = typeof author === 'string' ? [{ type: 'text' as const, text: `Message from ${author}:`, at }] : [];
    return { role: 'user', parts: [...from, ...parts], at };
  }

  *#contentParts(content: unknown, at: string): Stages<InputPart[]> {
    return yield* mapInStages(Array.isArray(content) ? content : [], (part: unknown, i) => {
      const read = contentPartSchema.safeParse(part);
      if (read.success) return decodeInputPart(read.data, `${at}[${i}]`, this.#diagnostics);
      this.#diagnostics.warn(`${at}[${i}]`, 'left out, since only its own provider can read it');
      return undefined;
    });
  }
}
