import { EFFORTS, type FieldName, type Reasoning, type RequestFields } from '../../canonical/request.ts';
import { isSet } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { decodeResponseFormat } from './response-format.ts';
import type { ResponsesRequest } from './schema.ts';
import { decodeToolChoice } from './tool-choice.ts';

/** The value of `include` that asks for log probabilities. */
export const INCLUDE_LOGPROBS = 'message.output_text.logprobs';

/** Independent fields, and the client's names for them. */
export interface DecodedFields {
  readonly fields: RequestFields;
  readonly names: Readonly<Partial<Record<FieldName, string>>>;
}

/** Decodes the independent fields of a request, except for dropped ones. */
export function decodeFields(
  request: ResponsesRequest,
  dropped: ReadonlySet<string>,
  diagnostics: Diagnostics,
): DecodedFields {
  const { text } = request;
  const userId = request.safety_identifier ?? request.user;
  const isDropped = (field: string) => dropped.has(field);
  const fields: RequestFields = {
    ...(!isDropped('tool_choice') && given('toolChoice', decodeToolChoice(request.tool_choice, diagnostics))),
    ...(!isDropped('parallel_tool_calls') && given('parallelToolCalls', request.parallel_tool_calls)),
    ...given('maxOutputTokens', request.max_output_tokens),
    ...(isSet(text?.format) && { responseFormat: decodeResponseFormat(text.format) }),
    ...given('verbosity', text?.verbosity),
    ...given('temperature', request.temperature),
    ...given('topP', request.top_p),
    ...given('presencePenalty', request.presence_penalty),
    ...given('frequencyPenalty', request.frequency_penalty),
    ...given('logprobs', readLogprobsAsked(request)),
    ...given('reasoning', readReasoning(request.reasoning, diagnostics)),
    ...given('cacheKey', request.prompt_cache_key),
    ...given('cacheRetention', request.prompt_cache_retention),
    ...given('metadata', request.metadata),
    ...given('userId', userId),
    ...given('truncation', request.truncation),
  };
  return { fields, names: namesOf(fields, request) };
}

/** The member, unless the client did not set it. */
function given<K extends FieldName>(
  field: K,
  value: RequestFields[K] | null | undefined,
): { readonly [key in K]?: NonNullable<RequestFields[K]> } {
  if (value === undefined || value === null) return {};
  const member: { [key in K]?: NonNullable<RequestFields[K]> } = {};
  member[field] = value;
  return member;
}

function readLogprobsAsked(request: ResponsesRequest): { readonly top: number } | undefined {
  const top = request.top_logprobs ?? 0;
  return top > 0 || request.include?.includes(INCLUDE_LOGPROBS) === true ? { top } : undefined;
}

const SUMMARIES = ['auto', 'concise', 'detailed'] as const;

function readReasoning(given: ResponsesRequest['reasoning'], diagnostics: Diagnostics): Reasoning | undefined {
  if (!isSet(given)) return undefined;
  const effort = oneOf(EFFORTS, given.effort, 'reasoning.effort', diagnostics);
  const summary = isSet(given.summary)
    ? oneOf(SUMMARIES, given.summary, 'reasoning.summary', diagnostics)
    : oneOf(SUMMARIES, given.generate_summary, 'reasoning.generate_summary', diagnostics);
  if (isSet(given.context) && given.context !== 'auto') {
    diagnostics.warn('reasoning.context', "not passed on to this model's provider");
  }
  if (effort === undefined && summary === undefined) return undefined;
  return { ...(effort !== undefined && { effort }), ...(summary !== undefined && { show: summary }) };
}

function oneOf<T extends string>(
  values: readonly T[],
  value: string | null | undefined,
  at: string,
  diagnostics: Diagnostics,
): T | undefined {
  if (!isSet(value)) return undefined;
  const known = values.find((one) => one === value);
  if (known === undefined) diagnostics.reject(at, `expected one of ${values.map((one) => `"${one}"`).join(', ')}`);
  return known;
}

function namesOf(fields: RequestFields, request: ResponsesRequest): Partial<Record<FieldName, string>> {
  const all: Record<FieldName, string> = {
    toolChoice: 'tool_choice',
    parallelToolCalls: 'parallel_tool_calls',
    maxOutputTokens: 'max_output_tokens',
    responseFormat: 'text.format',
    verbosity: 'text.verbosity',
    temperature: 'temperature',
    topP: 'top_p',
    topK: 'top_k',
    seed: 'seed',
    presencePenalty: 'presence_penalty',
    frequencyPenalty: 'frequency_penalty',
    logitBias: 'logit_bias',
    stop: 'stop',
    choices: 'n',
    logprobs: isSet(request.top_logprobs) ? 'top_logprobs' : 'include',
    reasoning: 'reasoning',
    cacheKey: 'prompt_cache_key',
    cacheRetention: 'prompt_cache_retention',
    cache: 'prompt_cache_options',
    metadata: 'metadata',
    userId: isSet(request.safety_identifier) ? 'safety_identifier' : 'user',
    truncation: 'truncation',
  };
  const names: Partial<Record<FieldName, string>> = {};
  for (const key of Object.keys(fields)) if (isFieldName(key, all)) names[key] = all[key];
  return names;
}

function isFieldName(key: string, all: Record<FieldName, string>): key is FieldName {
  return Object.hasOwn(all, key);
}
