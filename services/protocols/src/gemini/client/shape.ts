/**
 * The fields of a request that have two names. Google's objects have known fields; maps have the client's own keys.
 * `undefined` values are not descended into.
 */
export type ObjectShape =
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, ObjectShape | undefined> }
  | { readonly kind: 'list'; readonly of: ObjectShape }
  | { readonly kind: 'map'; readonly of: ObjectShape };

function object(plain: readonly string[], nested: Readonly<Record<string, ObjectShape>> = {}): ObjectShape {
  const fields = new Map<string, ObjectShape | undefined>(Object.entries(nested));
  for (const name of plain) fields.set(name, undefined);
  return { kind: 'object', fields };
}

function list(of: ObjectShape): ObjectShape {
  return { kind: 'list', of };
}

/** A list of strings, which may be a single string. */
const texts = list(object([]));

function schemaShape(): ObjectShape {
  const plain = ['type', 'format', 'title', 'description', 'nullable', 'enum', 'required', 'propertyOrdering'];
  const bounds = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];
  const fields = new Map<string, ObjectShape | undefined>();
  for (const name of [...plain, ...bounds, 'minimum', 'maximum', 'pattern', 'default', 'example']) {
    fields.set(name, undefined);
  }
  const schema: ObjectShape = { kind: 'object', fields };
  fields.set('items', schema);
  fields.set('anyOf', list(schema));
  fields.set('properties', { kind: 'map', of: schema });
  return schema;
}

const schema = schemaShape();
const blob = object(['mimeType', 'data', 'displayName']);
const file = object(['mimeType', 'fileUri', 'displayName']);

const part = object(
  ['text', 'thought', 'thoughtSignature', 'audioTranscription', 'partMetadata', 'mediaProcessing', 'speechMetadata'],
  {
    inlineData: blob,
    fileData: file,
    functionCall: object(['id', 'name', 'args', 'partialArgs', 'willContinue']),
    functionResponse: object(['id', 'name', 'response', 'scheduling', 'willContinue'], {
      parts: list(object(['mediaProcessing'], { inlineData: blob, fileData: file })),
    }),
    executableCode: object(['id', 'language', 'code']),
    codeExecutionResult: object(['id', 'outcome', 'output']),
    toolCall: object(['id', 'toolType', 'args']),
    toolResponse: object(['id', 'toolType', 'response']),
    videoMetadata: object(['startOffset', 'endOffset', 'fps']),
    mediaResolution: object(['level', 'numTokens']),
  },
);

const content = object(['role'], { parts: list(part) });

/** Tools that Google runs itself, now or formerly. A tool object can have several, and functions beside them. */
export const PROVIDER_RUN_TOOLS: readonly string[] = [
  'googleSearch',
  'googleSearchRetrieval',
  'codeExecution',
  'urlContext',
  'fileSearch',
  'computerUse',
  'googleMaps',
  'mcpServers',
  'retrieval',
  'enterpriseWebSearch',
  'exaAiSearch',
  'parallelAiSearch',
];

const tool = object(PROVIDER_RUN_TOOLS, {
  functionDeclarations: list(
    object(['name', 'description', 'parametersJsonSchema', 'responseJsonSchema', 'behavior'], {
      parameters: schema,
      response: schema,
    }),
  ),
});

const toolConfig = object(['retrievalConfig', 'includeServerSideToolInvocations'], {
  functionCallingConfig: object(['mode', 'streamFunctionCallArguments'], { allowedFunctionNames: texts }),
});

const generationConfig = object(
  [
    'audioTimestamp',
    'audioTranscriptionConfig',
    'candidateCount',
    'enableAffectiveDialog',
    'enableEnhancedCivicAnswers',
    'frequencyPenalty',
    'imageConfig',
    'logprobs',
    'maxOutputTokens',
    'mediaResolution',
    'modelSelectionConfig',
    'presencePenalty',
    'responseJsonSchema',
    'responseLogprobs',
    'responseMimeType',
    'routingConfig',
    'seed',
    'speechConfig',
    'temperature',
    'topK',
    'topP',
    'translationConfig',
  ],
  {
    responseFormat: list(object(['audio', 'image', 'video'], { text: object(['mimeType', 'schema']) })),
    responseModalities: texts,
    responseSchema: schema,
    stopSequences: texts,
    thinkingConfig: object(['includeThoughts', 'thinkingBudget', 'thinkingLevel']),
  },
);

const request = object(['model', 'cachedContent', 'labels', 'serviceTier', 'store', 'continuationToken'], {
  contents: list(content),
  systemInstruction: content,
  tools: list(tool),
  toolConfig,
  safetySettings: list(object(['category', 'threshold', 'method'])),
  generationConfig,
});

export const shapeOf = { request } as const;
