import { withOwnReasoning } from '../../canonical/foreign-reasoning.ts';
import type { Message } from '../../canonical/message.ts';
import type { InputPart, OutputPart, Placed, ToolCallPart, ToolResultPart } from '../../canonical/part.ts';
import { inputObject } from '../../canonical/tool-call.ts';
import { callNames } from '../../canonical/tool-names.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { encodeMedia, type MediaPart } from './media.ts';
import { unsignedCallSignature } from './model.ts';
import { signatureMember } from './signature.ts';

/** The turns of a conversation, without its instructions. */
export function* encodeContents(
  messages: readonly Message[],
  parameters: ModelParameters,
  diagnostics: Diagnostics,
): Stages<JsonRecord[]> {
  const own = yield* withOwnReasoning(messages, 'gemini', diagnostics);
  const nameOf = yield* callNames(own);
  const writer = new ContentsWriter(parameters, nameOf, diagnostics);
  for (const message of own) {
    yield* writer.add(message);
    if (isTurnOver()) yield;
  }
  return writer.contents;
}

class ContentsWriter {
  readonly contents: JsonRecord[] = [];
  readonly #diagnostics: Diagnostics;
  readonly #nameOf: (result: ToolResultPart) => string | undefined;
  readonly #substitute: string | undefined;
  /** Otherwise media of a result are sent beside it. */
  readonly #nestsMedia: boolean;
  #isNameWarned = false;

  constructor(
    parameters: ModelParameters,
    nameOf: (result: ToolResultPart) => string | undefined,
    diagnostics: Diagnostics,
  ) {
    this.#diagnostics = diagnostics;
    this.#nameOf = nameOf;
    this.#substitute = unsignedCallSignature(parameters);
    this.#nestsMedia = parameters.mediaInResults === true;
  }

  *add(message: Message): Stages<void> {
    const parts: JsonRecord[] = [];
    const path = `contents[${this.contents.length}]`;
    this.#diagnostics.placed(path, message.at);
    if ('name' in message && message.name !== undefined && !this.#isNameWarned) {
      this.#diagnostics.warn(message.at, "names of participants are not passed on to this model's provider");
      this.#isNameWarned = true;
    }
    switch (message.role) {
      case 'user':
        for (const part of withoutEmptyTexts(message.parts)) {
          if (isTurnOver()) yield;
          this.#put(parts, path, part, inputPart(part, this.#diagnostics));
        }
        this.contents.push({ role: 'user', parts });
        break;
      case 'assistant': {
        for (const part of withoutEmptyTexts(message.parts)) {
          if (isTurnOver()) yield;
          this.#put(parts, path, part, encodeOutputPart(part));
        }
        this.#signFirstCall(parts);
        this.contents.push({ role: 'model', parts });
        break;
      }
      case 'tool':
        for (const result of message.parts) {
          if (isTurnOver()) yield;
          yield* this.#addResult(parts, path, result);
        }
        this.contents.push({ role: 'user', parts });
        break;
      case 'system':
      case 'developer':
        // They are in the system instruction.
        break;
      default:
        message satisfies never;
    }
  }

  #put(parts: JsonRecord[], path: string, placed: Placed, part: JsonRecord): void {
    this.#diagnostics.placed(`${path}.parts[${parts.length}]`, placed.at);
    parts.push(part);
  }

  /**
   * Google signs the first of parallel calls, and checks that one. A signed call that is not the first was moved by the
   * client.
   */
  #signFirstCall(parts: JsonRecord[]): void {
    const first = parts.findIndex((part) => part['functionCall'] !== undefined);
    const call = parts[first];
    if (call === undefined || call['thoughtSignature'] !== undefined) return;
    const signed = parts.findIndex(
      (part) => part['functionCall'] !== undefined && part['thoughtSignature'] !== undefined,
    );
    const moved = parts[signed];
    if (moved !== undefined) {
      parts.splice(signed, 1);
      parts.splice(first, 0, moved);
    } else if (this.#substitute !== undefined) parts[first] = { ...call, thoughtSignature: this.#substitute };
  }

  *#addResult(parts: JsonRecord[], path: string, result: ToolResultPart): Stages<void> {
    const name = this.#nameOf(result);
    if (name === undefined) {
      this.#diagnostics.reject(result.at, 'does not match a tool call of an earlier message');
      return;
    }
    const media: JsonRecord[] = [];
    const texts: string[] = [];
    for (const part of result.parts) {
      if (isTurnOver()) yield;
      if (part.type === 'text') texts.push(part.text);
      else media.push(mediaPart(part, this.#diagnostics));
    }
    const functionResponse = {
      id: result.callId,
      name,
      response: texts.length === 0 && media.length > 0 && !result.isError ? {} : responseOf(texts, result.isError),
      ...(this.#nestsMedia && media.length > 0 && { parts: media }),
    };
    this.#put(parts, path, result, { functionResponse });
    if (!this.#nestsMedia) for (const part of media) this.#put(parts, path, result, part);
  }
}

/** Google rejects empty texts, so they are left out if there is another part. */
function withoutEmptyTexts<T extends OutputPart | InputPart>(parts: readonly T[]): readonly T[] {
  const kept = parts.filter((part) => part.type !== 'text' || part.text !== '' || part.opaque !== undefined);
  return kept.length === 0 ? parts.slice(0, 1) : kept;
}

function responseOf(texts: readonly string[], isError: boolean): JsonRecord {
  const text = texts.join('\n');
  return isError ? { error: text } : { output: text };
}

function inputPart(part: InputPart, diagnostics: Diagnostics): JsonRecord {
  return part.type === 'text' ? { text: part.text } : mediaPart(part, diagnostics);
}

function mediaPart(part: MediaPart, diagnostics: Diagnostics): JsonRecord {
  if (part.type === 'file') {
    const { title, context, citable } = part;
    if (title !== undefined || context !== undefined || citable === true) {
      diagnostics.warn(part.at, "its title, context and citations are not passed on to this model's provider");
    }
  }
  return encodeMedia(part);
}

/** A part of a response, which has the same shape in requests and responses. */
export function encodeOutputPart(part: OutputPart): JsonRecord {
  switch (part.type) {
    case 'text':
      return { text: part.text, ...signatureMember(part) };
    case 'refusal':
      return { text: part.text };
    case 'reasoning':
      return { thought: true, text: part.text, ...signatureMember(part) };
    case 'tool-call':
      return callPart(part);
    case 'image':
    case 'audio':
      return encodeMedia(part);
    default:
      return part satisfies never;
  }
}

function callPart(part: ToolCallPart): JsonRecord {
  const { id, name, input } = part;
  return { functionCall: { id, name, args: inputObject(input) }, ...signatureMember(part) };
}
