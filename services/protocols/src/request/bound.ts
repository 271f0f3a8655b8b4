/** A model's limits from the catalogue, in tokens. `maxOutputTokens` and `contextWindow` are at least 1. */
export interface ModelFacts {
  readonly tokensPerRequest: number;
  readonly tokensPerMessage: number;
  readonly maxTokensPerImage: number;
  readonly maxOutputTokens: number;
  readonly contextWindow: number;
}

export type InputModality = 'text' | 'image' | 'audio' | 'file';

/** The upper bound of a request's usage. */
export interface RequestBound {
  /** Tokens of the prompt, images included. The prompt is billed once, whatever the number of choices is. */
  readonly inputTokens: number;
  readonly images: number;
  /** The modalities of the input, without repeats. */
  readonly modalities: readonly InputModality[];
  readonly choices: number;
  /** The client's limit for each choice; undefined if it set none. */
  readonly requestedOutputTokens: number | undefined;
  /** Tokens each choice can have: the smaller of the client's limit and the model's. */
  readonly outputTokensPerChoice: number;
  /** Tokens that are billed as output besides the generated ones, such as rejected prediction tokens. */
  readonly extraOutputTokens: number;
}

/** The contents of a request that could become part of the prompt. */
export interface PromptTally {
  /** UTF-8 bytes, each of which is at most one token. */
  text: number;
  images: number;
  audio: boolean;
  /** Documents that can become more tokens than their bytes. */
  files: boolean;
}

export function emptyTally(): PromptTally {
  return { text: 0, images: 0, audio: false, files: false };
}

/** The bound of a prompt of that many messages: at most the context window for text, plus the images. */
export function promptBound(
  { text, images, audio, files }: PromptTally,
  messages: number,
  facts: ModelFacts,
): Pick<RequestBound, 'inputTokens' | 'images' | 'modalities'> {
  const counted = text + facts.tokensPerRequest + facts.tokensPerMessage * messages;
  const tokens = files ? facts.contextWindow : Math.min(counted, facts.contextWindow);
  const modalities: InputModality[] = ['text'];
  if (images > 0) modalities.push('image');
  if (audio) modalities.push('audio');
  if (files) modalities.push('file');
  return { inputTokens: tokens + images * facts.maxTokensPerImage, images, modalities };
}

/** The bound of each choice: the smaller of the client's limit and the model's. */
export function outputBound(
  limit: number | undefined,
  facts: ModelFacts,
): Pick<RequestBound, 'requestedOutputTokens' | 'outputTokensPerChoice'> {
  return {
    requestedOutputTokens: limit,
    outputTokensPerChoice: Math.min(limit ?? facts.maxOutputTokens, facts.maxOutputTokens),
  };
}

/** Tokens that providers add around the tools of a request, and around each tool and schema. */
const TOKENS_FOR_TOOLS = 512;
const TOKENS_PER_TOOL = 32;

/** The bound of the tokens around this many tools. */
export function toolOverhead(tools: number): number {
  return tools > 0 ? TOKENS_FOR_TOOLS + TOKENS_PER_TOOL * tools : 0;
}

/** The prompt bytes of a record without the given keys; unknown keys are counted. */
export function promptBytesExcept(record: object, excluded: ReadonlySet<string>): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(record)) if (!excluded.has(key)) bytes += promptBytes(value);
  return bytes;
}

/**
 * Bytes of a value in a prompt. Providers may write a structure with line breaks and indents, each a token or two, so
 * every key and element counts a few bytes more than in the most compact form.
 */
export function promptBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) {
    let bytes = 4;
    for (const element of value) bytes += promptBytes(element) + 4;
    return bytes;
  }
  if (typeof value === 'object' && value !== null) {
    let bytes = 4;
    for (const [key, inner] of Object.entries(value)) bytes += Buffer.byteLength(key) + promptBytes(inner) + 8;
    return bytes;
  }
  return value === undefined ? 0 : String(value).length;
}
