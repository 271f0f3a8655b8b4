import {
  type CanonicalRequest,
  EFFORTS,
  type FieldName,
  type RequestFields,
  type ResponseFormat,
} from '../../canonical/request.ts';
import type { CanonicalResult } from '../../interface/protocol.ts';
import { isSet } from '../../json/record.ts';
import type { Stages } from '../../lists/stages.ts';
import { Diagnostics } from '../../request/diagnostics.ts';
import { decodeCacheControl } from '../shared/cache.ts';
import type { ChatRequest } from '../shared/schema.ts';
import { decodeToolChoice } from '../shared/tool-choice.ts';
import { decodeTools } from '../shared/tools.ts';
import { decodeMessages } from './decode-messages.ts';
import type { ParsedRequest } from './parse.ts';
import { isFreeExtension } from './price-policy.ts';

const NOT_PASSED_ON = "not passed on to this model's provider";

/**
 * Decodes a request into the canonical form, without what the policies reject or drop; unknown fields are dropped with
 * a warning.
 */
export function* decodeRequest({ request }: ParsedRequest): Stages<CanonicalResult> {
  const diagnostics = new Diagnostics();
  const tools = yield* decodeTools(request, diagnostics);
  const { fields, names } = readFields(request, tools.length > 0, diagnostics);
  const messages = yield* decodeMessages(request.messages, diagnostics);
  warnOfRest(request, diagnostics);
  const [refusal] = diagnostics.errors;
  if (refusal !== undefined) return { ok: false, error: refusal };
  const canonical: CanonicalRequest = { messages, tools, names, ...fields };
  return { ok: true, request: canonical, warnings: diagnostics.warnings };
}

type Fields = { -readonly [K in FieldName]?: RequestFields[K] };
type Names = { -readonly [K in FieldName]?: string };

/** Fields with the same value in the canonical form, by their names here. */
const PLAIN = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['random_seed', 'seed'],
  ['seed', 'seed'],
  ['presence_penalty', 'presencePenalty'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['n', 'choices'],
] as const;

function readFields(
  request: ChatRequest,
  hasTools: boolean,
  diagnostics: Diagnostics,
): { fields: RequestFields; names: Readonly<Names> } {
  const fields: Fields = {};
  const names: Names = {};
  const set = <K extends FieldName>(key: K, value: Fields[K] | undefined, name: string) => {
    if (value === undefined) return;
    fields[key] = value;
    names[key] = name;
  };
  for (const [name, key] of PLAIN) set(key, request[name] ?? undefined, name);
  if (hasTools) {
    const choiceName = isSet(request.tool_choice) ? 'tool_choice' : 'function_call';
    set('toolChoice', decodeToolChoice(request, diagnostics), choiceName);
    set('parallelToolCalls', request.parallel_tool_calls ?? undefined, 'parallel_tool_calls');
  }
  const limit = isSet(request.max_completion_tokens) ? 'max_completion_tokens' : 'max_tokens';
  set('maxOutputTokens', request[limit] ?? undefined, limit);
  set('responseFormat', readFormat(request), 'response_format');
  set('verbosity', oneOf(VERBOSITIES, request.verbosity, 'verbosity', diagnostics), 'verbosity');
  const effort = oneOf(EFFORTS, request.reasoning_effort, 'reasoning_effort', diagnostics);
  set('reasoning', effort === undefined ? undefined : { effort }, 'reasoning_effort');
  const topK = request['top_k'];
  set('topK', isTopK(topK) ? topK : undefined, 'top_k');
  const bias = request.logit_bias ?? {};
  set('logitBias', Object.keys(bias).length === 0 ? undefined : bias, 'logit_bias');
  const stop = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []);
  set('stop', stop.length === 0 ? undefined : stop, 'stop');
  set('logprobs', request.logprobs === true ? { top: request.top_logprobs ?? 0 } : undefined, 'logprobs');
  set('cacheKey', request.prompt_cache_key ?? undefined, 'prompt_cache_key');
  set('cacheRetention', request.prompt_cache_retention ?? undefined, 'prompt_cache_retention');
  const options = request.prompt_cache_options;
  if (options?.['mode'] === 'implicit') set('cache', {}, 'prompt_cache_options');
  else set('cache', decodeCacheControl(request).cache, 'cache_control');
  const user = isSet(request.safety_identifier) ? 'safety_identifier' : 'user';
  set('userId', request[user] ?? undefined, user);
  if (isSet(request.user) && user !== 'user' && request.user !== request.safety_identifier) {
    diagnostics.warn('user', 'left out, since safety_identifier names the end user');
  }
  return { fields, names };
}

const VERBOSITIES = ['low', 'medium', 'high'] as const;

function oneOf<T extends string>(
  values: readonly T[],
  value: string | null | undefined,
  name: string,
  diagnostics: Diagnostics,
): T | undefined {
  const known = values.find((one) => one === value);
  if (known === undefined && isSet(value)) {
    diagnostics.reject(name, `expected one of ${values.map((one) => `"${one}"`).join(', ')}`);
  }
  return known;
}

function isTopK(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function readFormat({ response_format: format }: ChatRequest): ResponseFormat | undefined {
  if (format === undefined || format === null) return undefined;
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return { type: 'json' };
    case 'json_schema': {
      const { name, description, schema, strict } = format.json_schema;
      return {
        type: 'json-schema',
        name,
        ...(typeof description === 'string' && { description }),
        schema: schema ?? {},
        ...(typeof strict === 'boolean' && { strict }),
      };
    }
    default:
      return format satisfies never;
  }
}

/** Fields that are decoded above, that the policies check, or that have no meaning at other providers. */
const READ: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'audio',
  'cache_control',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'modalities',
  'n',
  'parallel_tool_calls',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'random_seed',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
]);

function warnOfRest(request: ChatRequest, diagnostics: Diagnostics): void {
  for (const [key, value] of Object.entries(request)) {
    if (READ.has(key) || !isSet(value) || isFreeExtension(key)) continue;
    if (key === 'moderation') diagnostics.reject(key, "moderation is not available at this model's provider");
    else if (key !== 'top_k' || !isTopK(value)) diagnostics.warn(key, NOT_PASSED_ON);
  }
}
