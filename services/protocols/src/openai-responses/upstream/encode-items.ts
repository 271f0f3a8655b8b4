import { withOwnReasoning } from '../../canonical/foreign-reasoning.ts';
import type { AssistantMessage, Message, ToolMessage } from '../../canonical/message.ts';
import type { OutputPart, ReasoningPart, ToolCallPart, ToolResultPart } from '../../canonical/part.ts';
import { encodeResultPart } from '../../canonical/result-media.ts';
import { providerToolId } from '../../canonical/tool-call.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { encodeCitation } from '../shared/citations.ts';
import { encodeUrl } from '../shared/data-url.ts';
import { encodeSignature } from '../shared/reasoning.ts';
import { encodeContent } from './encode-content.ts';

/** OpenAI accepts ids of calls with any characters, up to this length. */
const CALL_ID = { pattern: /^/, maxLength: 64 };

/** Writes a conversation as the items of `input`. */
export function* encodeItems(
  messages: readonly Message[],
  { unsignedThinking }: ModelParameters,
  diagnostics: Diagnostics,
): Stages<JsonRecord[]> {
  const items = new ItemList(diagnostics);
  let isNameWarned = false;
  for (const message of yield* withOwnReasoning(messages, 'openai-responses', diagnostics, unsignedThinking)) {
    if (isTurnOver()) yield;
    if ('name' in message && message.name !== undefined && !isNameWarned) {
      diagnostics.warn(message.at, "names of participants are not passed on to this model's provider");
      isNameWarned = true;
    }
    yield* items.add(message);
  }
  return items.items;
}

class ItemList {
  readonly items: JsonRecord[] = [];
  readonly #diagnostics: Diagnostics;
  #isErrorWarned = false;

  constructor(diagnostics: Diagnostics) {
    this.#diagnostics = diagnostics;
  }

  *add(message: Message): Stages<void> {
    switch (message.role) {
      case 'system':
      case 'developer':
      case 'user':
        yield* this.#message(message);
        break;
      case 'assistant':
        yield* this.#assistant(message);
        break;
      case 'tool':
        yield* this.#results(message);
        break;
      default:
        message satisfies never;
    }
  }

  #push(item: JsonRecord, at: string | undefined): void {
    this.#diagnostics.placed(`input[${this.items.length}]`, at);
    this.items.push(item);
  }

  *#message({ role, parts, at }: Exclude<Message, AssistantMessage | ToolMessage>): Stages<void> {
    const content: JsonRecord[] = [];
    for (const part of parts) {
      if (isTurnOver()) yield;
      const json = encodeContent(part, this.#diagnostics);
      if (json === undefined) continue;
      this.#diagnostics.placed(`input[${this.items.length}].content[${content.length}]`, part.at);
      content.push(json);
    }
    this.#push({ type: 'message', role, content }, at);
  }

  /** Consecutive texts and refusals make one message; every other part is an item of its own. */
  *#assistant(message: AssistantMessage): Stages<void> {
    const { at } = message;
    const parts = this.#withoutLastThoughts(message.parts);
    let content: JsonRecord[] = [];
    const flush = () => {
      if (content.length > 0) this.#push({ type: 'message', role: 'assistant', content }, at);
      content = [];
    };
    for (const part of parts) {
      if (isTurnOver()) yield;
      switch (part.type) {
        case 'text': {
          const annotations = (part.citations ?? []).flatMap((citation) => encodeCitation(citation) ?? []);
          this.#diagnostics.placed(`input[${this.items.length}].content[${content.length}]`, part.at);
          content.push({ type: 'output_text', text: part.text, annotations });
          break;
        }
        case 'refusal':
          content.push({ type: 'refusal', refusal: part.text });
          break;
        case 'reasoning':
          flush();
          this.#push(reasoningJson(part), part.at);
          break;
        case 'tool-call':
          flush();
          this.#push(callJson(part), part.at);
          break;
        case 'image':
          flush();
          // The protocol has no images from the assistant, so it is sent as a user image.
          this.#push({ type: 'message', role: 'user', content: [imageJson(encodeUrl(part.source))] }, part.at);
          this.#diagnostics.warn(
            part.at,
            "sent as a user image, since this model's provider does not accept images from the assistant",
          );
          break;
        case 'audio':
          this.#diagnostics.reject(part.at, "this model's provider does not accept audio");
          break;
        default:
          part satisfies never;
      }
    }
    flush();
  }

  /** OpenAI rejects reasoning without output after it, such as that of a response that was cut off. */
  #withoutLastThoughts(parts: readonly OutputPart[]): readonly OutputPart[] {
    const end = 1 + parts.findLastIndex((part) => part.type !== 'reasoning');
    const dropped = parts[end];
    if (dropped === undefined) return parts;
    this.#diagnostics.warn(dropped.at, "reasoning without output after it is not passed on to this model's provider");
    return parts.slice(0, end);
  }

  *#results({ parts }: ToolMessage): Stages<void> {
    for (const part of parts) {
      if (isTurnOver()) yield;
      this.#push(yield* this.#result(part), part.at);
    }
  }

  *#result(part: ToolResultPart): Stages<JsonRecord> {
    const type = part.kind === 'function' ? 'function_call_output' : 'custom_tool_call_output';
    const output: JsonRecord[] = part.isError ? [{ type: 'input_text', text: this.#errorMark(part.at) }] : [];
    const place = `input[${this.items.length}].output`;
    for (const inner of part.parts) {
      if (isTurnOver()) yield;
      const json = encodeResultPart(inner, this.#diagnostics, encodeContent);
      if (json === undefined) continue;
      this.#diagnostics.placed(`${place}[${output.length}]`, inner.at);
      output.push(json);
    }
    return { type, call_id: providerToolId(part.callId, CALL_ID), output: asText(output) ?? output };
  }

  /** The protocol has no field for it. */
  #errorMark(at: string | undefined): string {
    if (!this.#isErrorWarned) this.#diagnostics.warn(at, 'the failure of the tool is stated in the text of its result');
    this.#isErrorWarned = true;
    return 'The tool call failed:';
  }
}

/** A result with at most one text is sent as a string, which every upstream accepts. */
function asText(output: readonly JsonRecord[]): string | undefined {
  const [first] = output;
  if (first === undefined) return '';
  const { type, text } = first;
  return output.length === 1 && type === 'input_text' && typeof text === 'string' ? text : undefined;
}

function imageJson(url: string): JsonRecord {
  return { type: 'input_image', image_url: url, detail: 'auto' };
}

/** A summary without a signature is all that is left of the reasoning, so a provider that needs none gets it as the reasoning. */
function reasoningJson({ form, text, opaque }: ReasoningPart): JsonRecord {
  const signature = opaque === undefined ? undefined : encodeSignature(opaque);
  const isSummary = form === 'summary' && signature !== undefined;
  return {
    type: 'reasoning',
    ...(signature?.id !== undefined && { id: signature.id }),
    summary: isSummary && text !== '' ? [{ type: 'summary_text', text }] : [],
    ...(!isSummary && text !== '' && { content: [{ type: 'reasoning_text', text }] }),
    ...(signature !== undefined && { encrypted_content: signature.encrypted }),
  };
}

function callJson({ kind, id, name, input }: ToolCallPart): JsonRecord {
  const callId = providerToolId(id, CALL_ID);
  switch (kind) {
    case 'function':
      return { type: 'function_call', call_id: callId, name, arguments: input };
    case 'custom':
      return { type: 'custom_tool_call', call_id: callId, name, input };
    default:
      return kind satisfies never;
  }
}
