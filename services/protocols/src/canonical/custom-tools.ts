import { isRecord, type JsonRecord, parseJson } from '../json/record.ts';
import { isTurnOver, mapInStages, type Stages } from '../lists/stages.ts';
import type { Diagnostics } from '../request/diagnostics.ts';
import type { Message } from './message.ts';
import type { OutputPart, ToolCallPart, ToolResultPart } from './part.ts';
import type { CanonicalRequest } from './request.ts';
import type { CanonicalResponse } from './response.ts';
import type { StreamEvent } from './stream.ts';
import type { CustomTool, FunctionTool, Tool } from './tool.ts';

/*
 * For an upstream without plain-text tools they become functions with one text parameter, and calls of them
 * become plain text again. The tool's name identifies them.
 */

/** The only property of a wrapped tool. */
const INPUT_KEY = 'input';

const PARAMETERS: JsonRecord = {
  type: 'object',
  properties: { [INPUT_KEY]: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: [INPUT_KEY],
  additionalProperties: false,
};

/** A request without custom tools, and the names of the wrapped ones. */
export interface Wrapped {
  readonly request: CanonicalRequest;
  readonly customTools: ReadonlySet<string>;
}

/** Wraps custom tools in functions, and earlier calls of them with their results. */
export function* wrapCustomTools(request: CanonicalRequest, diagnostics: Diagnostics): Stages<Wrapped> {
  const customTools = new Set<string>();
  const tools = yield* mapInStages(request.tools, (tool): Tool => {
    if (tool.type !== 'custom') return tool;
    customTools.add(tool.name);
    if (tool.grammar !== undefined)
      diagnostics.warn(tool.at, 'its grammar is described to the model, but not enforced');
    return asFunction(tool);
  });
  const messages: Message[] = [];
  for (const message of request.messages) {
    messages.push(wrapMessage(message));
    if (isTurnOver(1 + message.parts.length)) yield;
  }
  return { request: { ...request, tools, messages }, customTools };
}

function asFunction(tool: CustomTool): FunctionTool {
  const { grammar, description, ...rest } = tool;
  const texts = description === undefined ? [] : [description];
  if (grammar !== undefined) {
    texts.push(`The input must follow this grammar (${grammar.syntax}):\n${grammar.definition}`);
  }
  const described = texts.length === 0 ? {} : { description: texts.join('\n\n') };
  return { ...rest, type: 'function', ...described, parameters: PARAMETERS };
}

function wrapMessage(message: Message): Message {
  if (message.role === 'assistant') return { ...message, parts: message.parts.map(wrapCall) };
  if (message.role !== 'tool') return message;
  return { ...message, parts: message.parts.map(wrapResult) };
}

function wrapResult(part: ToolResultPart): ToolResultPart {
  return { ...part, kind: 'function' };
}

function wrapCall(part: OutputPart): OutputPart {
  if (part.type !== 'tool-call' || part.kind !== 'custom') return part;
  return { ...part, kind: 'function', input: JSON.stringify({ [INPUT_KEY]: part.input }) };
}

/** Turns calls of wrapped tools into calls of the client's custom tools. */
export function unwrapCustomCalls(response: CanonicalResponse, customTools: ReadonlySet<string>): CanonicalResponse {
  if (customTools.size === 0) return response;
  const unwrap = (part: OutputPart): OutputPart =>
    part.type === 'tool-call' && isWrapped(part, customTools)
      ? { ...part, kind: 'custom', input: plainInput(part.input) }
      : part;
  return {
    ...response,
    choices: response.choices.map((choice) => ({ ...choice, parts: choice.parts.map(unwrap) })),
  };
}

function isWrapped(call: Pick<ToolCallPart, 'name' | 'kind'>, customTools: ReadonlySet<string>): boolean {
  return call.kind === 'function' && customTools.has(call.name);
}

/** The text in a wrapped input; any other input is used unchanged. */
function plainInput(input: string): string {
  const object = parseJson(input);
  const text = isRecord(object) ? object[INPUT_KEY] : undefined;
  return typeof text === 'string' ? text.toWellFormed() : input;
}

/** unwrapCustomCalls for a stream. An input is collected, and sent when its part ends. */
export class CustomCallUnwrapper {
  readonly #customTools: ReadonlySet<string>;
  /** What there is of the inputs of open parts. */
  readonly #inputs = new Map<number, string>();

  constructor(customTools: ReadonlySet<string>) {
    this.#customTools = customTools;
  }

  /** Returns the same array if nothing changes. */
  push(events: readonly StreamEvent[]): readonly StreamEvent[] {
    if (this.#customTools.size === 0) return events;
    let changed: StreamEvent[] | undefined;
    for (let i = 0; i < events.length; i++) {
      const event = events[i];
      if (event === undefined) continue;
      const unwrapped = this.#unwrap(event);
      if (unwrapped !== undefined) {
        changed ??= events.slice(0, i);
        changed.push(...unwrapped);
      } else changed?.push(event);
    }
    return changed ?? events;
  }

  /** Returns the event's replacement; undefined if it stays. */
  #unwrap(event: StreamEvent): readonly StreamEvent[] | undefined {
    if (event.type === 'part-start') {
      const { head } = event;
      if (head.type !== 'tool-call' || !isWrapped(head, this.#customTools)) return undefined;
      this.#inputs.set(event.part, '');
      return [{ ...event, head: { ...head, kind: 'custom' } }];
    }
    if (event.type !== 'part-delta' && event.type !== 'part-end') return undefined;
    const input = this.#inputs.get(event.part);
    if (input === undefined) return undefined;
    if (event.type === 'part-delta') {
      this.#inputs.set(event.part, input + event.text);
      return [];
    }
    this.#inputs.delete(event.part);
    const text = plainInput(input);
    return text === '' ? [event] : [{ type: 'part-delta', part: event.part, text }, event];
  }
}
