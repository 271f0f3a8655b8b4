import type { Message } from '../../canonical/message.ts';
import type { InputPart, OutputPart, TextPart, ToolResultPart } from '../../canonical/part.ts';
import { restoredTurns } from '../../canonical/restore-opaques.ts';
import { inputText } from '../../canonical/tool-call.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import { decodeBlob, decodeFileUri, type MediaPart } from '../shared/media.ts';
import { decodeMediaResolution } from '../shared/media-resolution.ts';
import type { GeminiContent, GeminiPart } from '../shared/schema.ts';
import { decodeSignature, isPlaceholder } from '../shared/signature.ts';
import { answeredCalls } from './answered-calls.ts';
import { CallIds, REPEATED_RESULT } from './call-ids.ts';
import type { LosslessObjects } from './lossless-objects.ts';
import type { RequestDiagnostics } from './request-diagnostics.ts';

/** Media settings of the request. */
export interface MediaSettings {
  readonly detail: 'low' | 'high' | undefined;
}

/** The turns of a conversation. */
export function* decodeContents(
  contents: readonly GeminiContent[],
  diagnostics: RequestDiagnostics,
  lossless: LosslessObjects,
  settings: MediaSettings,
): Stages<Message[]> {
  const decoder = new ContentsDecoder(diagnostics, lossless, settings);
  for (const [i, content] of contents.entries()) {
    yield* decoder.add(content, `contents[${i}]`);
    if (isTurnOver()) yield;
  }
  return yield* answeredCalls(yield* restoredTurns(decoder.messages), diagnostics);
}

const KNOWN_OF_CONTENT: ReadonlySet<string> = new Set(['role', 'parts']);

/** Fields of a part that are decoded here, or that have no meaning at other providers. */
const KNOWN_OF_PART: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
  'videoMetadata',
  'mediaResolution',
]);

class ContentsDecoder {
  readonly messages: Message[] = [];
  readonly #diagnostics: RequestDiagnostics;
  readonly #lossless: LosslessObjects;
  readonly #settings: MediaSettings;
  readonly #calls = new CallIds();

  constructor(diagnostics: RequestDiagnostics, lossless: LosslessObjects, settings: MediaSettings) {
    this.#diagnostics = diagnostics;
    this.#lossless = lossless;
    this.#settings = settings;
  }

  *add(content: GeminiContent, path: string): Stages<void> {
    this.#diagnostics.unknown(content, KNOWN_OF_CONTENT, path);
    const at = this.#diagnostics.at(path);
    for (const [i, part] of (content.parts ?? []).entries()) {
      if (isTurnOver()) yield;
      const partPath = `${path}.parts[${i}]`;
      this.#diagnostics.unknown(part, KNOWN_OF_PART, partPath);
      this.#checkOwnParts(part, partPath);
      const decoded = content.role === 'model' ? this.#outputPart(part, partPath) : this.#inputPart(part, partPath);
      if (decoded === undefined) continue;
      const { role } = decoded;
      if (role === 'assistant') this.#addAnswer(decoded.part, at, i === 0);
      else if (role === 'tool') this.messages.push({ role, parts: [decoded.part], at });
      else this.messages.push({ role, parts: [decoded.part], at });
    }
  }

  #addAnswer(part: OutputPart, at: string, isNext: boolean): void {
    const last = this.messages.at(-1);
    if (last?.role === 'assistant') {
      const [before] = last.parts;
      const joined = before === undefined ? undefined : joinPiece(before, part, isNext);
      if (joined !== undefined) {
        this.messages[this.messages.length - 1] = { ...last, parts: [joined] };
        return;
      }
    }
    this.messages.push({ role: 'assistant', parts: [part], at });
  }

  /** Earlier actions of provider-run tools, which the text after them repeats, and parts of videos. */
  #checkOwnParts(part: GeminiPart, path: string): void {
    for (const kind of ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'] as const) {
      if (part[kind]) this.#diagnostics.warnDropped(`${path}.${kind}`);
    }
    if (part.videoMetadata && Object.keys(part.videoMetadata).length > 0) {
      this.#diagnostics.reject(
        `${path}.videoMetadata`,
        "this model's provider does not accept parts of a video; remove it",
      );
    }
  }

  #outputPart(part: GeminiPart, path: string): { role: 'assistant'; part: OutputPart } | undefined {
    const at = this.#diagnostics.at(path);
    const { opaque, thoughts } = decodeSignature(part.thoughtSignature ?? '');
    const wrapped = opaque === undefined ? {} : { opaque };
    const { functionCall } = part;
    if (part.functionResponse) {
      this.#diagnostics.reject(`${path}.functionResponse`, 'must be in a content of the role "user"');
      return undefined;
    }
    if (functionCall) {
      const id = this.#calls.called(functionCall.id ?? undefined, functionCall.name);
      const args = this.#lossless(`${path}.functionCall.args`) ?? functionCall.args ?? {};
      return {
        role: 'assistant',
        part: {
          type: 'tool-call',
          id,
          name: functionCall.name,
          kind: 'function',
          input: inputText(args),
          at,
          ...wrapped,
          ...(thoughts !== undefined && { thoughts }),
        },
      };
    }
    const media = this.#media(part, path);
    if (media?.type === 'image' || media?.type === 'audio') return { role: 'assistant', part: { ...media, at } };
    if (media !== undefined) {
      this.#diagnostics.reject(path, 'model contents cannot contain files');
      return undefined;
    }
    const text = part.text ?? '';
    if (part.thought === true) {
      // Gemini CLI puts thoughts of its own between results and their media.
      if (isPlaceholder(part.thoughtSignature ?? '')) return undefined;
      return { role: 'assistant', part: { type: 'reasoning', form: 'summary', text, at, ...wrapped } };
    }
    if (text === '' && opaque === undefined) return undefined;
    return { role: 'assistant', part: { type: 'text', text, at, ...wrapped } };
  }

  #inputPart(
    part: GeminiPart,
    path: string,
  ): { role: 'user'; part: InputPart } | { role: 'tool'; part: ToolResultPart } | undefined {
    const at = this.#diagnostics.at(path);
    if (part.functionCall) {
      this.#diagnostics.reject(`${path}.functionCall`, 'must be in a content of the role "model"');
      return undefined;
    }
    if (part.functionResponse) return this.#result(part.functionResponse, path);
    const media = this.#media(part, path);
    if (media !== undefined) return { role: 'user', part: { ...media, at } };
    return part.text ? { role: 'user', part: { type: 'text', text: part.text, at } } : undefined;
  }

  #result(
    result: NonNullable<GeminiPart['functionResponse']>,
    path: string,
  ): { role: 'tool'; part: ToolResultPart } | undefined {
    const at = `${path}.functionResponse`;
    if (this.#calls.isRepeated(result.id ?? undefined, result.name)) {
      this.#diagnostics.warn(at, REPEATED_RESULT);
      return undefined;
    }
    const callId = this.#calls.answered(result.id ?? undefined, result.name);
    if (callId === undefined) {
      this.#diagnostics.reject(at, 'does not match an earlier function call');
      return undefined;
    }
    if (result['willContinue'] === true) this.#diagnostics.warnDropped(`${at}.willContinue`);
    const response = this.#lossless(`${at}.response`) ?? result.response ?? undefined;
    const media = (result.parts ?? []).flatMap((inner, i) => this.#media(inner, `${at}.parts[${i}]`) ?? []);
    const { text, isError } = readResult(response);
    const isSilent = text === '' && media.length > 0;
    const texts: TextPart[] = isSilent ? [] : [{ type: 'text', text, at: this.#diagnostics.at(path) }];
    return {
      role: 'tool',
      part: {
        type: 'tool-result',
        callId,
        kind: 'function',
        name: result.name,
        parts: [...texts, ...media.map((part) => ({ ...part, at: this.#diagnostics.at(path) }))],
        isError,
        at: this.#diagnostics.at(path),
      },
    };
  }

  #media(part: Pick<GeminiPart, 'inlineData' | 'fileData' | 'mediaResolution'>, path: string): MediaPart | undefined {
    const { inlineData, fileData } = part;
    let media: MediaPart | undefined;
    if (inlineData) media = decodeBlob(inlineData.mimeType, inlineData.data, inlineData.displayName ?? undefined);
    else if (fileData) {
      media = decodeFileUri(fileData.fileUri, fileData.mimeType ?? undefined, fileData.displayName ?? undefined);
      if (media === undefined) {
        this.#diagnostics.reject(`${path}.fileData`, 'audio is accepted only as inlineData');
      }
    }
    const detail = this.#detailOf(part, path);
    return media?.type === 'image' && detail !== undefined ? { ...media, detail } : media;
  }

  #detailOf(part: Pick<GeminiPart, 'mediaResolution'>, path: string): 'low' | 'high' | 'original' | undefined {
    const level = part.mediaResolution?.['level'];
    if (level === undefined || level === null) return this.#settings.detail;
    if (level === 'MEDIA_RESOLUTION_ULTRA_HIGH') return 'original';
    const detail = decodeMediaResolution(typeof level === 'string' ? level : undefined);
    if (detail === undefined) this.#diagnostics.warnDropped(`${path}.mediaResolution`);
    return detail;
  }
}

/** A result as Google interprets it: `output` or `error` if it is the only member, else the object. */
function readResult(response: JsonRecord | undefined): { readonly text: string; readonly isError: boolean } {
  const [only, second] = Object.keys(response ?? {});
  if (response === undefined || only === undefined) return { text: '', isError: false };
  if (second !== undefined || (only !== 'output' && only !== 'error')) {
    return { text: JSON.stringify(response), isError: isReported(response['error']) };
  }
  const value = response[only];
  return { text: typeof value === 'string' ? value : JSON.stringify(value), isError: only === 'error' };
}

function isReported(error: unknown): boolean {
  return error !== null && error !== undefined && error !== '' && error !== false;
}

/**
 * Google's SDK keeps each chunk of a stream as a content of its own and sends them back like that: pieces of a text or a
 * thought are joined again, up to the piece with the signature. Separate texts within one content stay separate.
 *
 * @param isNext whether the part begins a content
 * @returns undefined if it does not continue the part before
 */
export function joinPiece(before: OutputPart, part: OutputPart, isNext: boolean): OutputPart | undefined {
  if (before.type === 'text' && part.type === 'text' && before.opaque === undefined) {
    if (!isNext && part.text !== '') return undefined;
    return { ...before, text: before.text + part.text, ...(part.opaque !== undefined && { opaque: part.opaque }) };
  }
  if (before.type === 'reasoning' && part.type === 'reasoning' && before.opaque === undefined) {
    return { ...before, text: before.text + part.text, ...(part.opaque !== undefined && { opaque: part.opaque }) };
  }
  return undefined;
}
