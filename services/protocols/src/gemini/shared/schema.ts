import { z } from 'zod';

const anyObject = z.looseObject({});
const text = z.string().nullish();
const flag = z.boolean().nullish();
const number = (min: number, max: number) => z.number().min(min).max(max).nullish();
const integer = (min: number, max: number) => z.number().int().min(min).max(max).nullish();
const MAX = Number.MAX_SAFE_INTEGER;

/** Google's rule for names of functions. */
const functionName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/,
    'must begin with a letter or underscore and have at most 128 letters, digits, underscores, dots, colons or dashes',
  );

const blob = z.looseObject({ mimeType: z.string().min(1), data: z.string(), displayName: text });
const file = z.looseObject({ mimeType: text, fileUri: z.string().min(1), displayName: text });

const part = z.looseObject({
  text,
  thought: flag,
  thoughtSignature: text,
  inlineData: blob.nullish(),
  fileData: file.nullish(),
  functionCall: z.looseObject({ id: text, name: z.string().min(1), args: anyObject.nullish() }).nullish(),
  functionResponse: z
    .looseObject({
      id: text,
      name: z.string().min(1),
      response: anyObject.nullish(),
      parts: z.array(z.looseObject({ inlineData: blob.nullish(), fileData: file.nullish() })).nullish(),
    })
    .nullish(),
  executableCode: z.looseObject({ language: text, code: text }).nullish(),
  codeExecutionResult: z.looseObject({ outcome: text, output: text }).nullish(),
  toolCall: anyObject.nullish(),
  toolResponse: anyObject.nullish(),
  videoMetadata: anyObject.nullish(),
  mediaResolution: anyObject.nullish(),
  mediaProcessing: text,
});

const parts = z.array(part);

const content = z.looseObject({ role: z.enum(['user', 'model', 'function']).nullish(), parts: parts.nullish() });

/** Instructions have no role: the provider ignores a given one. */
const instructions = z.looseObject({ role: text, parts: parts.nullish() });

const tool = z.looseObject({
  functionDeclarations: z
    .array(
      z.looseObject({
        name: functionName,
        description: text,
        parameters: anyObject.nullish(),
        parametersJsonSchema: anyObject.nullish(),
        response: anyObject.nullish(),
        responseJsonSchema: anyObject.nullish(),
        behavior: text,
      }),
    )
    .nullish(),
});

const generationConfig = z.looseObject({
  candidateCount: integer(1, 8),
  enableEnhancedCivicAnswers: flag,
  frequencyPenalty: number(-2, 2),
  imageConfig: anyObject.nullish(),
  logprobs: integer(0, 20),
  maxOutputTokens: integer(1, MAX),
  mediaResolution: text,
  presencePenalty: number(-2, 2),
  responseFormat: z
    .array(z.looseObject({ text: z.looseObject({ mimeType: text, schema: anyObject.nullish() }).nullish() }))
    .nullish(),
  responseJsonSchema: anyObject.nullish(),
  responseLogprobs: flag,
  responseMimeType: text,
  responseModalities: z.array(z.string()).nullish(),
  responseSchema: anyObject.nullish(),
  seed: z.number().int().nullish(),
  speechConfig: anyObject.nullish(),
  stopSequences: z.array(z.string()).nullish(),
  temperature: number(0, 2),
  thinkingConfig: z
    .looseObject({ includeThoughts: flag, thinkingBudget: integer(-1, MAX), thinkingLevel: text })
    .nullish(),
  topK: number(0, MAX),
  topP: number(0, 1),
});

/**
 * A generateContent request in camel case, with lists (see aliases.ts). Known fields have their types and the ranges
 * that hold for every model. Unknown fields are allowed and kept.
 */
export const requestSchema = z.looseObject({
  model: text,
  contents: z.array(content).min(1),
  systemInstruction: instructions.nullish(),
  tools: z.array(tool).nullish(),
  toolConfig: z
    .looseObject({
      functionCallingConfig: z
        .looseObject({ mode: text, allowedFunctionNames: z.array(z.string()).nullish() })
        .nullish(),
      retrievalConfig: anyObject.nullish(),
      includeServerSideToolInvocations: flag,
    })
    .nullish(),
  safetySettings: z.array(anyObject).nullish(),
  generationConfig: generationConfig.nullish(),
  cachedContent: text,
  labels: z.record(z.string(), z.string()).nullish(),
  serviceTier: text,
  store: flag,
  continuationToken: text,
});

export type GeminiRequest = z.output<typeof requestSchema>;
export type GeminiContent = GeminiRequest['contents'][number];
export type GeminiPart = NonNullable<GeminiContent['parts']>[number];
export type GeminiTool = NonNullable<GeminiRequest['tools']>[number];
export type GeminiFunction = NonNullable<GeminiTool['functionDeclarations']>[number];
export type GenerationConfig = NonNullable<GeminiRequest['generationConfig']>;

/** The kinds of a part. Each part has exactly one. */
export const PART_KINDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;
