import type { InputModality, ModelFacts, RequestBound } from '../../bound.ts';
import { promptBytes } from '../../prompt-bytes.ts';
import type { GeminiContent, GeminiPart, GeminiRequest } from '../schema.ts';
import type { DecodedGeminiRequest } from './read.ts';

/** What providers write around the tools of a request, and around each tool and schema, in tokens. */
const TOKENS_FOR_TOOLS = 512;
const TOKENS_PER_TOOL = 32;

/**
 * Bounds the usage of a request. Without a tokenizer the bound of a text is its UTF-8 bytes: no byte-level tokenizer
 * makes more tokens than bytes. Everything in the request that a provider could make part of the prompt is counted,
 * unknown fields too. A file, a video or an address can unfold to more than its bytes, so its bound is the context
 * window.
 */
export function boundGeminiRequest({ request }: DecodedGeminiRequest, facts: ModelFacts): RequestBound {
  const tally: Tally = { text: 0, images: 0, audio: false, files: false };
  for (const content of request.contents) addContent(tally, content);
  if (request.systemInstruction) addContent(tally, request.systemInstruction);
  addRest(tally, request);
  const overhead = facts.tokensPerRequest + facts.tokensPerMessage * (request.contents.length + 1);
  const text = tally.files ? facts.contextWindow : Math.min(tally.text + overhead, facts.contextWindow);
  const requested = request.generationConfig?.maxOutputTokens ?? undefined;
  return {
    inputTokens: text + tally.images * facts.maxTokensPerImage,
    images: tally.images,
    modalities: modalitiesOf(tally),
    choices: request.generationConfig?.candidateCount ?? 1,
    requestedOutputTokens: requested,
    outputTokensPerChoice: Math.min(requested ?? facts.maxOutputTokens, facts.maxOutputTokens),
    extraOutputTokens: 0,
  };
}

interface Tally {
  text: number;
  images: number;
  audio: boolean;
  files: boolean;
}

function modalitiesOf(tally: Tally): InputModality[] {
  const modalities: InputModality[] = ['text'];
  if (tally.images > 0) modalities.push('image');
  if (tally.audio) modalities.push('audio');
  if (tally.files) modalities.push('file');
  return modalities;
}

function addContent(tally: Tally, content: GeminiContent): void {
  for (const [key, value] of Object.entries(content)) {
    if (key === 'parts') for (const part of content.parts ?? []) addPart(tally, part);
    else if (key !== 'role') tally.text += promptBytes(value);
  }
}

/** Settings of a part that are no part of the prompt. */
const NOT_IN_PART: ReadonlySet<string> = new Set([
  'thought',
  'mediaResolution',
  'mediaProcessing',
  'videoMetadata',
  'functionResponse',
  'inlineData',
  'fileData',
]);

function addPart(tally: Tally, part: GeminiPart): void {
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

function addMedia(tally: Tally, { inlineData, fileData }: Pick<GeminiPart, 'inlineData' | 'fileData'>): void {
  if (inlineData) addMediaType(tally, inlineData.mimeType, inlineData.data.length);
  if (fileData) addMediaType(tally, fileData.mimeType ?? '', undefined);
}

/** @param characters of the base64 text; undefined where only an address is given */
function addMediaType(tally: Tally, mimeType: string, characters: number | undefined): void {
  const type = mimeType.toLowerCase();
  if (type.startsWith('image/')) tally.images++;
  else if (type.startsWith('audio/')) {
    tally.audio = true;
    if (characters === undefined) tally.files = true;
    else tally.text += characters;
  } else tally.files = true;
}

/** Known fields that steer the generation and are no part of the prompt, or are counted apart. */
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

/** Of the settings, those that can become part of the prompt; unknown ones are counted with them. */
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

function addRest(tally: Tally, request: GeminiRequest): void {
  for (const [key, value] of Object.entries(request)) {
    if (!NOT_IN_PROMPT.has(key)) tally.text += promptBytes(value);
  }
  for (const [key, value] of Object.entries(request.generationConfig ?? {})) {
    if (!SETTINGS_NOT_IN_PROMPT.has(key)) tally.text += promptBytes(value);
  }
  let tools = 0;
  for (const tool of request.tools ?? []) tools += Math.max(1, tool.functionDeclarations?.length ?? 0);
  if (tools > 0) tally.text += TOKENS_FOR_TOOLS + TOKENS_PER_TOOL * tools;
}
