import { effortOf } from '../../canonical/effort.ts';
import { withJsonInstruction } from '../../canonical/json-instruction.ts';
import type { Placed, ReasoningPart } from '../../canonical/part.ts';
import type { CanonicalRequest, FieldName, Reasoning } from '../../canonical/request.ts';
import type { EncodeTarget } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, mapInStages, type Stages } from '../../lists/stages.ts';
import { adjusted, warnOfAdjustments } from '../../request/adjustment.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { rejectUnsupported, withoutUnsupported } from '../../request/unsupported-fields.ts';
import { adjustmentsOf, DEFAULT_PARAMETERS } from '../shared/adjust.ts';
import { INCLUDE_LOGPROBS } from '../shared/fields.ts';
import { asksForReasoning, INCLUDE_ENCRYPTED } from '../shared/reasoning.ts';
import { encodeResponseFormat } from '../shared/response-format.ts';
import { encodeToolChoice } from '../shared/tool-choice.ts';
import { encodeTool } from '../shared/tools.ts';
import { encodeItems } from './encode-items.ts';

/** Encodes a request for an upstream. Nothing is stored there, so reasoning is requested in encrypted form. */
export function* encodeRequest(
  request: CanonicalRequest,
  target: EncodeTarget,
  diagnostics: Diagnostics,
): Stages<JsonRecord> {
  const parameters = { ...DEFAULT_PARAMETERS, ...target.parameters };
  noteUnsaid(request, diagnostics);
  yield* noteCacheHints(request, diagnostics);
  const { toolChoice, parallelToolCalls, temperature, topP, metadata, userId, truncation } = request;
  const tools = yield* mapInStages(request.tools, (tool, index) => {
    diagnostics.placed(`tools[${index}]`, tool.at);
    return encodeTool(tool, diagnostics);
  });
  const limit = target.outputTokens ?? request.maxOutputTokens;
  const include = yield* includeJson(request, target);
  const reasoning = request.reasoning === undefined ? undefined : reasoningJson(request.reasoning);
  const text = textJson(request, diagnostics);
  placeFields(request, diagnostics);
  const { messages } = yield* withJsonInstruction(request, diagnostics);
  const input = yield* encodeItems(messages, parameters, diagnostics);
  const body = {
    model: target.upstreamModel,
    input,
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { tool_choice: encodeToolChoice(toolChoice, request.tools) }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(text !== undefined && { text }),
    ...(reasoning !== undefined && { reasoning }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(request.logprobs !== undefined && { top_logprobs: request.logprobs.top }),
    ...(request.cacheKey !== undefined && { prompt_cache_key: request.cacheKey }),
    ...(request.cacheRetention !== undefined && { prompt_cache_retention: request.cacheRetention }),
    ...(metadata !== undefined && { metadata }),
    ...(userId !== undefined && { safety_identifier: userId }),
    ...(truncation !== undefined && { truncation }),
    ...(include.length > 0 && { include }),
    store: false,
    ...(target.isStream && { stream: true }),
  };
  const adjustments = adjustmentsOf(body, parameters);
  warnOfAdjustments(adjustments, diagnostics);
  rejectUnsupported(body, parameters, diagnostics);
  return withoutUnsupported(adjusted(body, adjustments), parameters, diagnostics);
}

function* includeJson(
  { reasoning, logprobs, messages }: CanonicalRequest,
  { parameters }: EncodeTarget,
): Stages<string[]> {
  const saysSo = reasoning !== undefined && reasoning.effort !== 'none' && reasoning.budgetTokens !== 0;
  let isInHistory = false;
  for (const { role, parts } of messages) {
    if (isTurnOver(1 + parts.length)) yield;
    isInHistory ||= role === 'assistant' && parts.some((part) => part.type === 'reasoning' && isOwn(part));
  }
  return [
    ...(asksForReasoning(parameters, saysSo || isInHistory) ? [INCLUDE_ENCRYPTED] : []),
    ...(logprobs !== undefined ? [INCLUDE_LOGPROBS] : []),
  ];
}

/** Only reasoning models accept reasoning of this protocol. */
function isOwn({ opaque }: ReasoningPart): boolean {
  return opaque?.origin === 'openai-responses';
}

/** How much the model should think; empty if the model decides. */
function reasoningJson({ effort, budgetTokens, show }: Reasoning): JsonRecord | undefined {
  const amount = effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
  const summary = show === undefined || show === 'none' ? undefined : show;
  if (amount === undefined && summary === undefined) return undefined;
  return { ...(amount !== undefined && { effort: amount }), ...(summary !== undefined && { summary }) };
}

function textJson(
  { responseFormat, verbosity, names }: CanonicalRequest,
  diagnostics: Diagnostics,
): JsonRecord | undefined {
  if (responseFormat === undefined && verbosity === undefined) return undefined;
  return {
    ...(responseFormat !== undefined && {
      format: encodeResponseFormat(responseFormat, names.responseFormat, diagnostics),
    }),
    ...(verbosity !== undefined && { verbosity }),
  };
}

const UNAVAILABLE = "not available at this model's provider";
const NOT_PASSED_ON = "not passed on to this model's provider";

/** Fields that the protocol does not have: rejected if the response would change, else dropped. */
function noteUnsaid(request: CanonicalRequest, diagnostics: Diagnostics): void {
  const { names, choices, logitBias } = request;
  if (choices !== undefined && choices > 1) diagnostics.reject(names.choices, UNAVAILABLE);
  if (logitBias !== undefined && Object.keys(logitBias).length > 0) diagnostics.reject(names.logitBias, UNAVAILABLE);
  for (const field of ['topK', 'seed', 'presencePenalty', 'frequencyPenalty', 'cache'] as const) {
    const value = request[field];
    if (value !== undefined && value !== 0) diagnostics.warn(names[field], NOT_PASSED_ON);
  }
}

function* noteCacheHints({ messages, tools }: CanonicalRequest, diagnostics: Diagnostics): Stages<void> {
  let hint: Placed | undefined;
  for (const { parts } of messages) {
    if (isTurnOver(1 + parts.length)) yield;
    hint ??= parts.find((part) => 'cache' in part && part.cache);
  }
  const at = hint?.at ?? tools.find((tool) => tool.cache !== undefined)?.at;
  if (hint !== undefined || at !== undefined)
    diagnostics.warn(at, "cache breakpoints are not passed on to this model's provider");
}

/** The upstream paths of the fields. */
const PLACES: readonly (readonly [field: FieldName, path: string])[] = [
  ['toolChoice', 'tool_choice'],
  ['parallelToolCalls', 'parallel_tool_calls'],
  ['maxOutputTokens', 'max_output_tokens'],
  ['responseFormat', 'text.format'],
  ['verbosity', 'text.verbosity'],
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['logprobs', 'top_logprobs'],
  ['reasoning', 'reasoning'],
  ['cacheKey', 'prompt_cache_key'],
  ['cacheRetention', 'prompt_cache_retention'],
  ['metadata', 'metadata'],
  ['userId', 'safety_identifier'],
  ['truncation', 'truncation'],
];

function placeFields({ names }: CanonicalRequest, diagnostics: Diagnostics): void {
  for (const [field, path] of PLACES) diagnostics.placed(path, names[field]);
}
