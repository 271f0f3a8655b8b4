import type {
  Conversation,
  Part,
  ResponseFormat,
  Settings,
  ToolChoice,
  ToolSpec,
  Turn,
} from '../model/conversation.ts';
import { inlineFile } from '../model/inline-file.ts';
import type { CountBody, GenerateBody, InputContent, InputPart } from './schema.ts';

/** Converts a body of :generateContent. */
export function conversationOf(model: string, body: GenerateBody): Conversation {
  const low = body.generationConfig?.mediaResolution === 'MEDIA_RESOLUTION_LOW';
  const turns: Turn[] = [];
  if (body.systemInstruction !== undefined) {
    const parts = body.systemInstruction.parts.flatMap((part) => partOf(part, low));
    turns.push({ side: 'instructions', role: 'systemInstruction', parts });
  }
  for (const content of body.contents) turns.push(turnOf(content, low));
  return { model, turns, tools: toolsOf(body), settings: settingsOf(body) };
}

/** Converts a body of :countTokens. */
export function countedConversation(model: string, body: CountBody): Conversation {
  return conversationOf(model, body.generateContentRequest ?? { contents: body.contents ?? [] });
}

function turnOf(content: InputContent, low: boolean): Turn {
  const role = content.role ?? 'user';
  return {
    side: role === 'model' ? 'assistant' : 'user',
    role,
    parts: content.parts.flatMap((part) => partOf(part, low)),
  };
}

function partOf(part: InputPart, low: boolean): Part[] {
  const signed = part.thoughtSignature !== undefined;
  if (part.thought === true) return [{ kind: 'reasoning', text: part.text ?? '', signed }];
  if (part.text !== undefined) {
    const parts: Part[] = signed ? [{ kind: 'reasoning', text: '', signed }] : [];
    if (part.text !== '' || !signed) parts.push({ kind: 'text', text: part.text });
    return parts;
  }
  const builtIn = part.toolCall?.args ?? part.toolResponse?.response;
  if (builtIn !== undefined) return [{ kind: 'text', text: JSON.stringify(builtIn) }];
  if (part.functionCall !== undefined) {
    const { id, name, args } = part.functionCall;
    return [{ kind: 'tool_call', id, name, arguments: JSON.stringify(args ?? {}), signed: signed || undefined }];
  }
  if (part.functionResponse !== undefined) {
    const { id, name, response, parts = [] } = part.functionResponse;
    const media = parts.flatMap((inner) => mediaOf(inner, low));
    return [
      {
        kind: 'tool_result',
        id,
        name,
        parts: [{ kind: 'text', text: responseText(response) }, ...media],
        error: 'error' in response,
      },
    ];
  }
  return mediaOf(part, low || part.mediaResolution?.level === 'MEDIA_RESOLUTION_LOW');
}

/** A tool response with only `output` or `error` becomes that text. */
function responseText(response: Record<string, unknown>): string {
  const [[key, value] = []] = Object.entries(response);
  const plain = Object.keys(response).length === 1 && (key === 'output' || key === 'result' || key === 'error');
  return plain && typeof value === 'string' ? value : JSON.stringify(response);
}

function mediaOf(part: Pick<InputPart, 'inlineData' | 'fileData'>, low: boolean): Part[] {
  const { inlineData, fileData } = part;
  const mimeType = inlineData?.mimeType ?? fileData?.mimeType ?? '';
  const source = inlineData === undefined ? 'url' : 'inline';
  if (inlineData === undefined && fileData === undefined) return [];
  if (mimeType.startsWith('image/')) return [{ kind: 'image', low, source }];
  if (inlineData !== undefined && mimeType.startsWith('audio/')) {
    return [{ kind: 'audio', characters: inlineData.data.length }];
  }
  if (inlineData !== undefined) return [inlineFile(mimeType, inlineData.data, inlineData.displayName)];
  return [{ kind: 'file', source, name: fileData?.displayName }];
}

function toolsOf(body: GenerateBody): ToolSpec[] {
  const tools: ToolSpec[] = [];
  for (const { functionDeclarations = [], googleSearch: _, urlContext: __, ...others } of body.tools ?? []) {
    for (const declared of functionDeclarations) {
      tools.push({
        name: declared.name,
        description: declared.description ?? '',
        schema: declared.parametersJsonSchema ?? declared.parameters,
      });
    }
    for (const name of Object.keys(others)) tools.push({ name, description: '', schema: undefined });
  }
  return tools;
}

function settingsOf(body: GenerateBody): Settings {
  const config = body.generationConfig ?? {};
  const { thinkingConfig: thinking } = config;
  return {
    limit: config.maxOutputTokens,
    choices: config.candidateCount ?? 1,
    stop: config.stopSequences ?? [],
    temperature: config.temperature,
    topP: config.topP,
    topK: config.topK,
    seed: config.seed,
    presencePenalty: config.presencePenalty,
    frequencyPenalty: config.frequencyPenalty,
    logprobs: config.responseLogprobs === true ? (config.logprobs ?? 0) : undefined,
    effort: thinking?.thinkingLevel?.toLowerCase(),
    budget: thinking?.thinkingBudget,
    showReasoning: thinking?.includeThoughts === true,
    toolChoice: toolChoiceOf(body.toolConfig?.functionCallingConfig),
    responseFormat: responseFormatOf(config),
    serviceTier: body.serviceTier,
    metadata: body.labels,
    store: body.store,
  };
}

type CallingConfig = NonNullable<GenerateBody['toolConfig']>['functionCallingConfig'];

function toolChoiceOf(config: CallingConfig): ToolChoice | undefined {
  const names = config?.allowedFunctionNames ?? [];
  const [only] = names;
  const mode = config?.mode;
  switch (mode) {
    case undefined:
    case 'MODE_UNSPECIFIED':
      return undefined;
    case 'AUTO':
      return { kind: 'auto' };
    case 'NONE':
      return { kind: 'none' };
    case 'VALIDATED':
      return names.length > 0 ? { kind: 'auto', names } : { kind: 'auto' };
    case 'ANY':
      if (names.length === 1 && only !== undefined) return { kind: 'tool', name: only };
      return names.length > 0 ? { kind: 'any', names } : { kind: 'any' };
    default:
      return mode satisfies never;
  }
}

function responseFormatOf(config: NonNullable<GenerateBody['generationConfig']>): ResponseFormat | undefined {
  const schema = config.responseJsonSchema ?? config.responseSchema;
  if (schema !== undefined) return { kind: 'schema', schema, strict: true };
  return config.responseMimeType === 'application/json' ? { kind: 'json' } : undefined;
}
