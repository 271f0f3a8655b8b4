import {
  emptyTally,
  type ModelFacts,
  outputBound,
  type PromptTally,
  promptBound,
  promptBytes,
  promptBytesExcept,
  type RequestBound,
  toolOverhead,
} from '../../request/bound.ts';
import type { GeminiContent, GeminiPart, GeminiRequest } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';

/**
 * Bounds the usage of a request. Without a tokenizer the bound of a text is its UTF-8 bytes: no byte-level tokenizer
 * makes more tokens than bytes. Everything in the request that a provider could make part of the prompt is counted,
 * unknown fields too. A file, a video or a URI can become more tokens than its bytes, so its bound is the context
 * window.
 */
export function boundRequest({ request }: ParsedRequest, facts: ModelFacts): RequestBound {
  const tally = emptyTally();
  for (const content of request.contents) addContent(tally, content);
  if (request.systemInstruction) addContent(tally, request.systemInstruction);
  addRest(tally, request);
  return {
    ...promptBound(tally, request.contents.length + 1, facts),
    ...outputBound(request.generationConfig?.maxOutputTokens ?? undefined, facts),
    choices: request.generationConfig?.candidateCount ?? 1,
    extraOutputTokens: 0,
  };
}

function addContent(tally: PromptTally, content: Pick<GeminiContent, 'parts'>): void {
  for (const [key, value] of Object.entries(content)) {
    if (key === 'parts') for (const part of content.parts ?? []) addPart(tally, part);
    else if (key !== 'role') tally.text += promptBytes(value);
  }
}

/** Settings of a part that are not part of the prompt. */
const NOT_IN_PART: ReadonlySet<string> = new Set([
  'thought',
  'mediaResolution',
  'mediaProcessing',
  'videoMetadata',
  'functionResponse',
  'inlineData',
  'fileData',
]);

function addPart(tally: PromptTally, part: GeminiPart): void {
  addMedia(tally, part);
  for (const [key, value] of Object.entries(part)) {
    if (!NOT_IN_PART.has(key)) tally.text += promptBytes(value);
  }
  const result = part.functionResponse;
  if (!result) return;
  const { parts, ...rest } = result;
  tally.text += promptBytes(rest);
  for (const inner of parts ?? []) addMedia(tally, inner);
}

function addMedia(tally: PromptTally, { inlineData, fileData }: Pick<GeminiPart, 'inlineData' | 'fileData'>): void {
  if (inlineData) addMediaType(tally, inlineData.mimeType, inlineData.data.length);
  if (fileData) addMediaType(tally, fileData.mimeType ?? '', undefined);
}

/** @param characters of the base64 text; undefined for media given by URI */
function addMediaType(tally: PromptTally, mimeType: string, characters: number | undefined): void {
  const type = mimeType.toLowerCase();
  if (type.startsWith('image/')) tally.images++;
  else if (type.startsWith('audio/')) {
    tally.audio = true;
    if (characters === undefined) tally.files = true;
    else tally.text += characters;
  } else tally.files = true;
}

/** Known fields that are not part of the prompt, or are counted separately. */
const NOT_IN_PROMPT: ReadonlySet<string> = new Set([
  'model',
  'contents',
  'systemInstruction',
  'generationConfig',
  'safetySettings',
  'labels',
  'serviceTier',
  'store',
]);

/** The settings that can become part of the prompt, including unknown ones. */
const SETTINGS_NOT_IN_PROMPT: ReadonlySet<string> = new Set([
  'candidateCount',
  'frequencyPenalty',
  'logprobs',
  'maxOutputTokens',
  'mediaResolution',
  'presencePenalty',
  'responseLogprobs',
  'responseMimeType',
  'responseModalities',
  'seed',
  'stopSequences',
  'temperature',
  'thinkingConfig',
  'topK',
  'topP',
]);

function addRest(tally: PromptTally, request: GeminiRequest): void {
  tally.text += promptBytesExcept(request, NOT_IN_PROMPT);
  tally.text += promptBytesExcept(request.generationConfig ?? {}, SETTINGS_NOT_IN_PROMPT);
  let tools = 0;
  for (const tool of request.tools ?? []) tools += Math.max(1, tool.functionDeclarations?.length ?? 0);
  tally.text += toolOverhead(tools);
}
