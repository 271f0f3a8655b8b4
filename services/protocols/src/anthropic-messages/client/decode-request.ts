import type { CanonicalRequest, FieldName, RequestFields } from '../../canonical/request.ts';
import type { Tool } from '../../canonical/tool.ts';
import type { CanonicalResult } from '../../interface/protocol.ts';
import { isSet } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import { Diagnostics } from '../../request/diagnostics.ts';
import { decodeCacheControl } from '../shared/cache.ts';
import type { MessagesRequest } from '../shared/schema.ts';
import { decodeThinking } from '../shared/thinking.ts';
import { decodeToolChoice } from '../shared/tool-choice.ts';
import { warnOfUnknownMembers } from './decode-blocks.ts';
import { ToolSet } from './decode-tools.ts';
import { decodeTurns } from './decode-turns.ts';
import type { ParsedRequest } from './parse.ts';

/** Top-level fields that are decoded here, or that the policies check: the allowed values have no effect elsewhere. */
const KNOWN: readonly string[] = [
  'model',
  'max_tokens',
  'messages',
  'billing_policy',
  'cache_control',
  'container',
  'diagnostics',
  'fallbacks',
  'inference_geo',
  'mcp_servers',
  'metadata',
  'output_config',
  'output_format',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'system',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
];

type Set = { -readonly [K in FieldName]?: NonNullable<RequestFields[K]> };

/** Reads a request into the canonical form. */
export function* decodeRequest(parsed: ParsedRequest): Stages<CanonicalResult> {
  const { request } = parsed;
  const diagnostics = new Diagnostics();
  const fields: Set = {};
  const names: Partial<Record<FieldName, string>> = {};
  const put = <K extends FieldName>(field: K, name: string, value: RequestFields[K] | null) => {
    if (value === undefined || value === null) return;
    fields[field] = value;
    names[field] = name;
  };
  putSampling(request, put);
  putOutput(request, put, diagnostics);
  const declared = new ToolSet(diagnostics);
  for (const [i, tool] of (request.tools ?? []).entries()) {
    declared.add(tool, `tools[${i}]`);
    if (isTurnOver()) yield;
  }
  const messages = yield* decodeTurns(parsed, declared, diagnostics);
  const { tools } = declared;
  putChoice(request, tools, put, diagnostics);
  warnOfUnknown(request, diagnostics);
  const [error] = diagnostics.errors;
  if (error !== undefined) return { ok: false, error };
  const canonical: CanonicalRequest = { ...fields, messages, tools, names };
  return { ok: true, request: canonical, warnings: diagnostics.warnings };
}

type Put = <K extends FieldName>(field: K, name: string, value: RequestFields[K] | null) => void;

function putSampling(request: MessagesRequest, put: Put): void {
  put('temperature', 'temperature', request.temperature);
  put('topP', 'top_p', request.top_p);
  put('topK', 'top_k', request.top_k);
  if (request.stop_sequences?.length !== 0) put('stop', 'stop_sequences', request.stop_sequences);
  put('userId', 'metadata.user_id', request.metadata?.user_id);
  const { cache } = decodeCacheControl(request.cache_control);
  if (cache !== undefined) put('cache', 'cache_control', cache);
}

function putOutput(request: MessagesRequest, put: Put, diagnostics: Diagnostics): void {
  const { max_tokens: limit, output_config: config } = request;
  if (limit === 0)
    diagnostics.reject(
      'max_tokens',
      "this model's provider cannot fill its cache without generating output; set it to at least 1",
    );
  put('maxOutputTokens', 'max_tokens', limit);
  const format = config?.format ?? request.output_format;
  if (isSet(format)) {
    const name = isSet(config?.format) ? 'output_config.format' : 'output_format';
    put('responseFormat', name, { type: 'json-schema', schema: format.schema });
  }
  if (isSet(config)) warnOfUnknownMembers(config, ['effort', 'format'], 'output_config', diagnostics);
  const reasoning = decodeThinking(request, diagnostics);
  if (reasoning !== undefined) put('reasoning', reasoning.name, reasoning.reasoning);
}

/** A choice is meaningless without tools. */
function putChoice(
  { tool_choice: choice }: MessagesRequest,
  tools: readonly Tool[],
  put: Put,
  diagnostics: Diagnostics,
): void {
  if (choice?.type === 'tool' && !tools.some((tool) => tool.name === choice.name)) {
    diagnostics.reject('tool_choice.name', 'names a tool that is not declared, or that this model cannot use');
  }
  if (!isSet(choice) || tools.length === 0) return;
  put('toolChoice', 'tool_choice', decodeToolChoice(choice));
  if (choice.type !== 'none' && isSet(choice.disable_parallel_tool_use)) {
    put('parallelToolCalls', 'tool_choice.disable_parallel_tool_use', !choice.disable_parallel_tool_use);
  }
}

function warnOfUnknown(request: MessagesRequest, diagnostics: Diagnostics): void {
  for (const [key, value] of Object.entries(request)) {
    if (!KNOWN.includes(key) && isSet(value)) diagnostics.warn(key, "not passed on to this model's provider");
  }
}
