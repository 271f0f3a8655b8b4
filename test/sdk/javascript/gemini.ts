import {
  type CallableTool,
  type Content,
  createFunctionResponsePartFromBase64,
  FunctionCallingConfigMode,
  FunctionResponse,
  type GenerateContentConfig,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type HttpOptions,
  type Part,
  ThinkingLevel,
} from '@google/genai';
import {
  type Ask,
  type Driver,
  type Other,
  type OtherResponse,
  type SdkResponse,
  type Target,
  type ToolResult,
  type ToolRun,
  type ToolRunResult,
  Unsupported,
  type UserPart,
} from '../scenario.ts';
import { numberAt } from '../support/json.ts';
import { emptyOther, emptyResponse, emptyToolRun, sdkError, Wire } from './responses-common.ts';

/** generateContent by npm `@google/genai`. */
export function geminiDriver(): Driver {
  const carried = new Map<string, Content[]>();
  return {
    language: 'JavaScript',
    protocol: 'gemini',
    other,
    run,
    ask: async (target, ask) => {
      const response = emptyResponse();
      const wire = new Wire();
      try {
        const request = requestOf(ask, carried);
        const models = clientOf(target, wire).models;
        const contents: Content[] = [];
        if (ask.stream) {
          const leaving = new AbortController();
          const config = { ...request.config, abortSignal: leaving.signal };
          for await (const chunk of await models.generateContentStream({ ...request, config })) {
            readResponse(chunk, response, contents);
            if (response.pieces === ask.disconnectAfter) {
              leaving.abort();
              break;
            }
          }
        } else readResponse(await models.generateContent(request), response, contents);
        carried.set(response.ref, contents);
      } catch (error) {
        response.error = sdkError(error);
      }
      response.headers = wire.headers;
      return response;
    },
  };

  async function other(target: Target, call: Other): Promise<OtherResponse> {
    const wire = new Wire();
    const { models } = clientOf(target, wire);
    const response = emptyOther();
    try {
      switch (call.call) {
        case 'models':
          for await (const model of await models.list()) response.models.push(model.name ?? '');
          break;
        case 'model':
          response.models.push((await models.get({ model: call.model })).name ?? '');
          break;
        case 'count': {
          // The SDK's countTokens towards the Gemini API takes contents only.
          const { model, contents } = requestOf(call.ask, carried);
          response.tokens = (await models.countTokens({ model, contents })).totalTokens ?? null;
          break;
        }
        case 'embed': {
          const { model, texts, dimensions } = call;
          const config = dimensions === undefined ? {} : { outputDimensionality: dimensions };
          const made = await models.embedContent({ model, contents: texts, config });
          response.embeddings = (made.embeddings ?? []).map((each) => each.values ?? []);
          break;
        }
        default:
          call satisfies never;
      }
    } catch (error) {
      response.error = sdkError(error);
    }
    response.headers = wire.headers;
    return response;
  }
}

/** Automatic function calling. */
async function run(target: Target, given: ToolRun): Promise<ToolRunResult> {
  const result = emptyToolRun();
  const { name, description, parameters } = given.tool;
  const tool: CallableTool = {
    tool: async () => ({ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }),
    callTool: async (calls) =>
      calls.map((call) => {
        result.inputs.push(call.args);
        return { functionResponse: { ...(call.id && { id: call.id }), name, response: { output: given.output } } };
      }),
  };
  const { models } = clientOf(target, new Wire());
  const request = { model: given.model, contents: given.prompt, config: { tools: [tool] } };
  try {
    if (given.stream) {
      for await (const chunk of await models.generateContentStream(request)) result.text += chunk.text ?? '';
    } else result.text = (await models.generateContent(request)).text ?? '';
  } catch (error) {
    result.error = sdkError(error);
  }
  return result;
}

function clientOf(target: Target, wire: Wire): GoogleGenAI {
  const httpOptions: HttpOptions = { baseUrl: target.baseUrl, fetch: wire.fetch };
  const { apiVersion } = target;
  return new GoogleGenAI({ apiKey: target.key, httpOptions, ...(apiVersion !== undefined && { apiVersion }) });
}

/** Reads a buffered response, or the next piece of one. As the SDK's own chats do, each piece is kept as a content. */
function readResponse(response: GenerateContentResponse, result: SdkResponse, contents: Content[]): void {
  result.id = response.responseId ?? result.id;
  result.model = response.modelVersion ?? result.model;
  const candidates = response.candidates ?? [];
  result.choices = Math.max(result.choices, ...candidates.map((each) => (each.index ?? 0) + 1));
  for (const candidate of candidates) {
    if ((candidate.index ?? 0) !== 0) continue;
    result.finish = candidate.finishReason ?? result.finish;
    for (const page of candidate.groundingMetadata?.groundingChunks ?? []) result.cited.push(page.web?.uri ?? '');
    for (const source of candidate.citationMetadata?.citations ?? []) result.cited.push(source.uri ?? '');
    const { logprobsResult } = candidate;
    result.logprobs += logprobsResult?.topCandidates?.filter((each) => (each.candidates ?? []).length > 0).length ?? 0;
    if (candidate.content === undefined) continue;
    if ((candidate.content.parts ?? []).length > 0) contents.push(candidate.content);
    for (const part of candidate.content.parts ?? []) readPart(part, result);
  }
  result.finish = response.promptFeedback?.blockReason ?? result.finish;
  const usage = response.usageMetadata;
  if (usage === undefined) return;
  const cacheRead = usage.cachedContentTokenCount ?? 0;
  result.usage = {
    input: (usage.promptTokenCount ?? 0) - cacheRead,
    cacheRead,
    cacheWrite: 0,
    output: usage.candidatesTokenCount ?? 0,
    reasoning: usage.thoughtsTokenCount ?? 0,
  };
  result.cost = numberAt(usage, 'cost') ?? result.cost;
}

function readPart(part: Part, response: SdkResponse): void {
  if (part.thoughtSignature !== undefined) response.signatures.push(part.thoughtSignature);
  if (part.thought) response.thoughts += part.text ?? '';
  else if (part.text !== undefined && part.text !== '') {
    response.text += part.text;
    response.pieces += 1;
  }
  const call = part.functionCall;
  if (call === undefined) return;
  response.calls.push({ id: call.id ?? '', name: call.name ?? '', input: call.args ?? {} });
  response.inputPieces += 1;
}

function requestOf(ask: Ask, carried: ReadonlyMap<string, Content[]>): GenerateContentParameters {
  if (ask.cacheHint || ask.userId !== undefined || ask.singleCall) {
    throw new Unsupported('cache hints, user ids, one call at most');
  }
  const contents: Content[] = [];
  for (const turn of ask.turns) {
    switch (turn.role) {
      case 'user':
        contents.push({ role: 'user', parts: turn.parts.map(partOf) });
        break;
      case 'assistant':
        contents.push({ role: 'model', parts: [{ text: turn.text }] });
        break;
      case 'instructions':
        throw new Unsupported('instructions in mid-conversation');
      case 'carried':
        contents.push(...(carried.get(turn.ref) ?? []));
        break;
      case 'tool':
        contents.push({ role: 'user', parts: turn.results.map((each) => ({ functionResponse: resultOf(each) })) });
        break;
      default:
        turn satisfies never;
    }
  }
  return { model: ask.model, contents, config: configOf(ask) };
}

function configOf(ask: Ask): GenerateContentConfig {
  const config: GenerateContentConfig = {};
  if (ask.system !== undefined) config.systemInstruction = ask.system;
  if (ask.maxTokens !== undefined) config.maxOutputTokens = ask.maxTokens;
  if (ask.temperature !== undefined) config.temperature = ask.temperature;
  if (ask.topK !== undefined) config.topK = ask.topK;
  if (ask.seed !== undefined) config.seed = ask.seed;
  if (ask.presencePenalty !== undefined) config.presencePenalty = ask.presencePenalty;
  if (ask.choices !== undefined) config.candidateCount = ask.choices;
  if (ask.stop !== undefined) config.stopSequences = ask.stop;
  if (ask.logprobs !== undefined) Object.assign(config, { responseLogprobs: true, logprobs: ask.logprobs });
  if (ask.schema !== undefined) config.responseMimeType = 'application/json';
  if (typeof ask.schema === 'object') config.responseJsonSchema = ask.schema;
  if (ask.tools !== undefined) {
    const declarations = ask.tools.map(({ name, description, parameters, strict }) => {
      if (strict) throw new Unsupported('strict tools');
      return { name, description, parametersJsonSchema: parameters };
    });
    config.tools = [{ functionDeclarations: declarations }];
    config.automaticFunctionCalling = { disable: true };
  }
  setToolChoice(ask, config);
  if (ask.reasoning === 'off') config.thinkingConfig = { thinkingBudget: 0 };
  else if (ask.reasoning !== undefined) {
    const { reasoning } = ask;
    config.thinkingConfig = { includeThoughts: true };
    if ('budget' in reasoning) config.thinkingConfig.thinkingBudget = reasoning.budget;
    else config.thinkingConfig.thinkingLevel = LEVELS[reasoning.effort];
  }
  return config;
}

const LEVELS = { low: ThinkingLevel.LOW, medium: ThinkingLevel.MEDIUM, high: ThinkingLevel.HIGH } as const;

function setToolChoice(ask: Ask, config: GenerateContentConfig): void {
  const choice = ask.toolChoice;
  if (choice === undefined) return;
  if (choice === 'none') config.toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.NONE } };
  else {
    const names = choice === 'required' ? undefined : 'tool' in choice ? [choice.tool] : choice.allowed;
    const mode = FunctionCallingConfigMode.ANY;
    config.toolConfig = { functionCallingConfig: { mode, ...(names && { allowedFunctionNames: names }) } };
  }
}

function resultOf(result: ToolResult): FunctionResponse {
  const { callId, name, output, image } = result;
  const response = new FunctionResponse();
  if (callId !== '') response.id = callId;
  response.name = name;
  response.response = result.isError ? { error: output } : { output };
  if (image !== undefined) response.parts = [createFunctionResponsePartFromBase64(image.data, image.mediaType)];
  return response;
}

function partOf(part: UserPart): Part {
  if ('text' in part) return { text: part.text };
  if ('audio' in part) return { inlineData: { mimeType: `audio/${part.audio.format}`, data: part.audio.data } };
  const media = 'image' in part ? part.image : part.file;
  if ('url' in media) return { fileData: { fileUri: media.url, mimeType: media.mediaType } };
  return { inlineData: { mimeType: media.mediaType, data: media.data } };
}
