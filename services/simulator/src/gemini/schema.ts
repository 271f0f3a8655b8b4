import { z } from 'zod';
import { anyObject, fields } from '../validation/fields.ts';
import { within } from '../validation/values.ts';
import { schemaProto } from './schema-proto.ts';
import { googleSearch, toolCall, toolResponse, urlContext } from './web-schema.ts';

/** https://ai.google.dev/api/generate-content */

/** Bytes in the JSON of protocol buffers: base64 in either alphabet. */
const bytes = z
  .string()
  .min(1)
  .regex(/^[A-Za-z0-9+/_-]+={0,2}$/, 'Base64 decoding failed');
const name = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/,
    'Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128',
  );

const blob = fields({ mimeType: z.string().min(1), data: bytes, displayName: z.string().optional() });
const fileData = fields({
  fileUri: z.string().min(1),
  mimeType: z.string().optional(),
  displayName: z.string().optional(),
});

const part = fields({
  text: z.string().optional(),
  inlineData: blob.optional(),
  fileData: fileData.optional(),
  functionCall: fields({ id: z.string().optional(), name, args: anyObject.optional() }).optional(),
  functionResponse: fields({
    id: z.string().optional(),
    name,
    response: anyObject,
    parts: z.array(fields({ inlineData: blob.optional(), fileData: fileData.optional() })).optional(),
    willContinue: z.boolean().optional(),
    scheduling: z.enum(['SCHEDULING_UNSPECIFIED', 'SILENT', 'WHEN_IDLE', 'INTERRUPT']).optional(),
  }).optional(),
  executableCode: anyObject.optional(),
  codeExecutionResult: anyObject.optional(),
  toolCall: toolCall.optional(),
  toolResponse: toolResponse.optional(),
  thought: z.boolean().optional(),
  thoughtSignature: bytes.optional(),
  videoMetadata: anyObject.optional(),
  mediaResolution: fields({ level: z.string().optional(), numTokens: z.int().optional() }).optional(),
  partMetadata: anyObject.optional(),
});

const content = fields({
  role: z.enum(['user', 'model'], 'Please use a valid role: user, model.').optional(),
  parts: z.array(part).min(1, 'contents.parts must not be empty.'),
});
/** Instructions have no role: a given one is ignored. */
const instruction = fields({ role: z.string().optional(), parts: z.array(part).min(1, 'parts must not be empty.') });

const functionDeclaration = fields({
  name,
  description: z.string().optional(),
  parameters: schemaProto.optional(),
  parametersJsonSchema: anyObject.optional(),
  response: schemaProto.optional(),
  responseJsonSchema: anyObject.optional(),
  behavior: z.enum(['UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING']).optional(),
});
const providerRun = anyObject.optional();
const tool = fields({
  functionDeclarations: z.array(functionDeclaration).optional(),
  googleSearch: googleSearch.optional(),
  googleSearchRetrieval: providerRun,
  googleMaps: providerRun,
  codeExecution: providerRun,
  urlContext: urlContext.optional(),
  fileSearch: providerRun,
  computerUse: providerRun,
});
const toolConfig = fields({
  functionCallingConfig: fields({
    mode: z.enum(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']).optional(),
    allowedFunctionNames: z.array(z.string()).optional(),
  }).optional(),
  retrievalConfig: anyObject.optional(),
  includeServerSideToolInvocations: z.boolean().optional(),
});

const HARMS = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT', 'CIVIC_INTEGRITY'] as const;
const safetySetting = fields({
  category: z.enum(HARMS.map((harm) => `HARM_CATEGORY_${harm}` as const)),
  threshold: z.enum([
    'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
    'BLOCK_LOW_AND_ABOVE',
    'BLOCK_MEDIUM_AND_ABOVE',
    'BLOCK_ONLY_HIGH',
    'BLOCK_NONE',
    'OFF',
  ]),
});

const generationConfig = fields({
  candidateCount: z.int().min(1).max(8).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  temperature: within(0, 2).optional(),
  topP: within(0, 1).optional(),
  topK: z.number().min(1).optional(),
  seed: z.int().optional(),
  presencePenalty: within(-2, 2).optional(),
  frequencyPenalty: within(-2, 2).optional(),
  stopSequences: z.array(z.string().min(1)).max(5).optional(),
  responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']).optional(),
  responseSchema: schemaProto.optional(),
  responseJsonSchema: anyObject.optional(),
  responseModalities: z.array(z.literal('TEXT')).optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: z.int().min(0).max(20).optional(),
  mediaResolution: z
    .enum(['MEDIA_RESOLUTION_UNSPECIFIED', 'MEDIA_RESOLUTION_LOW', 'MEDIA_RESOLUTION_MEDIUM', 'MEDIA_RESOLUTION_HIGH'])
    .optional(),
  thinkingConfig: fields({
    includeThoughts: z.boolean().optional(),
    thinkingBudget: z.int().min(-1).max(65_536).optional(),
    thinkingLevel: z.enum(['THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH']).optional(),
  }).optional(),
  enableEnhancedCivicAnswers: z.boolean().optional(),
});

/** As the documentation spells them, and as the enumeration does. */
const SERVICE_TIERS = [
  'unspecified',
  'standard',
  'flex',
  'priority',
  'SERVICE_TIER_UNSPECIFIED',
  'SERVICE_TIER_STANDARD',
  'SERVICE_TIER_FLEX',
  'SERVICE_TIER_PRIORITY',
] as const;

/** A body of :generateContent and :streamGenerateContent. */
export const generateSchema = fields({
  contents: z.array(content).min(1, 'contents is not specified'),
  systemInstruction: instruction.optional(),
  tools: z.array(tool).optional(),
  toolConfig: toolConfig.optional(),
  safetySettings: z.array(safetySetting).optional(),
  generationConfig: generationConfig.optional(),
  cachedContent: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  serviceTier: z.enum(SERVICE_TIERS).optional(),
  store: z.boolean().optional(),
  model: z.string().optional(),
  simulate: z.unknown().optional(),
});

/** A body of :countTokens: only contents, or a complete request. */
export const countSchema = fields({
  contents: z.array(content).min(1, 'contents is not specified').optional(),
  generateContentRequest: generateSchema.optional(),
  simulate: z.unknown().optional(),
});

export type GenerateBody = z.output<typeof generateSchema>;
export type CountBody = z.output<typeof countSchema>;
export type InputContent = GenerateBody['contents'][number];
export type InputPart = InputContent['parts'][number];
