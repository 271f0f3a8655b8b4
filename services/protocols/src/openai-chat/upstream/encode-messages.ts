import type { Message } from '../../canonical/message.ts';
import type { InputPart, ToolResultPart } from '../../canonical/part.ts';
import { encodeResultPart } from '../../canonical/result-media.ts';
import { providerToolId } from '../../canonical/tool-call.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { encodeAudio, encodeFile, encodeImage } from '../shared/media.ts';
import { contentOf, encodeAssistant, TOOL_ID } from './encode-assistant.ts';

/** Writes the turns of a conversation for an upstream. */
export function* encodeMessages(
  messages: readonly Message[],
  parameters: ModelParameters,
  diagnostics: Diagnostics,
): Stages<JsonRecord[]> {
  const writer = new MessageWriter(parameters, diagnostics);
  for (const message of messages) {
    yield* writer.write(message);
    if (isTurnOver()) yield;
  }
  return writer.messages;
}

class MessageWriter {
  readonly messages: JsonRecord[] = [];
  readonly #parameters: ModelParameters;
  readonly #diagnostics: Diagnostics;
  #warnedOfErrors = false;

  constructor(parameters: ModelParameters, diagnostics: Diagnostics) {
    this.#parameters = parameters;
    this.#diagnostics = diagnostics;
  }

  *write(message: Message): Stages<void> {
    const path = `messages[${this.messages.length}]`;
    switch (message.role) {
      case 'system':
      case 'developer':
      case 'user': {
        this.#diagnostics.placed(path, message.at);
        const content = contentOf(yield* this.#inputParts(message.parts, path)) ?? '';
        const name = message.name === undefined ? {} : { name: message.name };
        this.messages.push({ role: message.role, content, ...name });
        break;
      }
      case 'assistant':
        this.#diagnostics.placed(path, message.at);
        this.messages.push(yield* encodeAssistant(message, path, this.#parameters, this.#diagnostics));
        break;
      case 'tool':
        yield* this.#results(message.parts);
        break;
      default:
        message satisfies never;
    }
  }

  /** A message for each result. Content other than text goes into a user message after all of them. */
  *#results(results: readonly ToolResultPart[]): Stages<void> {
    const media: JsonRecord[] = [];
    for (const result of results) {
      const path = `messages[${this.messages.length}]`;
      this.#diagnostics.placed(path, result.at);
      if (result.cache !== undefined) this.#warnOfCache(result.at);
      const id = providerToolId(result.callId, TOOL_ID);
      const parts = yield* this.#inputParts(result.parts, path, true);
      const texts = parts.filter((part) => part['type'] === 'text');
      if (texts.length < parts.length) {
        this.#diagnostics.warn(result.at, 'content other than text is sent in a user message after it');
        media.push({ type: 'text', text: `Output of the tool call ${id}:` });
        for (const part of parts) if (part['type'] !== 'text') media.push(part);
        texts.push({ type: 'text', text: 'More of the output is in the next user message.' });
      }
      if (result.isError) texts.unshift(this.#errorMark(result.at));
      this.messages.push({ role: 'tool', tool_call_id: id, content: contentOf(texts) ?? '' });
      if (isTurnOver()) yield;
    }
    if (media.length > 0) this.messages.push({ role: 'user', content: media });
  }

  /** The protocol has no field for it. */
  #errorMark(at: string | undefined): JsonRecord {
    if (!this.#warnedOfErrors)
      this.#diagnostics.warn(at, 'the failure of the tool is stated in the text of its result');
    this.#warnedOfErrors = true;
    return { type: 'text', text: 'The tool call failed:' };
  }

  *#inputParts(parts: readonly InputPart[], path: string, isResult = false): Stages<JsonRecord[]> {
    const written: JsonRecord[] = [];
    for (const part of parts) {
      if (isTurnOver()) yield;
      if (part.cache !== undefined) this.#warnOfCache(part.at);
      const content = isResult
        ? encodeResultPart(part, this.#diagnostics, inputPart)
        : inputPart(part, this.#diagnostics);
      if (content === undefined) continue;
      this.#diagnostics.placed(`${path}.content[${written.length}]`, part.at);
      written.push(content);
    }
    return written;
  }

  #warnOfCache(at: string | undefined): void {
    this.#diagnostics.warn(at, "the cache hint is not passed on to this model's provider");
  }
}

function inputPart(part: InputPart, diagnostics: Diagnostics): JsonRecord | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return encodeImage(part);
    case 'audio':
      return encodeAudio(part, diagnostics);
    case 'file':
      return encodeFile(part, diagnostics);
    default:
      return part satisfies never;
  }
}
