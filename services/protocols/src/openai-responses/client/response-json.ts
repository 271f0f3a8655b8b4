import { openaiTier } from '../../canonical/service-tier.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { ResponsesRequest, ResponsesTool } from '../shared/schema.ts';

/** What differs between the response objects of one stream. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  /** Unix seconds; null unless it is completed. */
  readonly completedAt: number | null;
  readonly incompleteReason: string | undefined;
  /** The tier that served it, as far as it is known. */
  readonly tier: string | undefined;
  readonly output: readonly JsonRecord[];
}

export interface ResponseHead {
  readonly id: string;
  readonly model: string;
  readonly created: number;
}

/**
 * A response object without its usage, with every field of the Open Responses specification
 * (https://www.openresponses.org/specification) and of OpenAI's SDK. What the client set is repeated; what it left out
 * has the default that OpenAI repeats there.
 */
export function encodeResponseObject(request: ResponsesRequest, head: ResponseHead, state: ResponseState): JsonRecord {
  const { reasoning, text } = request;
  return {
    id: head.id,
    object: 'response',
    created_at: head.created,
    completed_at: state.completedAt,
    status: state.status,
    background: false,
    error: null,
    incomplete_details: state.incompleteReason === undefined ? null : { reason: state.incompleteReason },
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model: head.model,
    output: state.output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt: null,
    conversation: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    prompt_cache_retention: request.prompt_cache_retention ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: openaiTier(state.tier),
    access_programs: null,
    store: false,
    temperature: request.temperature ?? 1,
    text: { format: formatJson(text?.format), verbosity: text?.verbosity ?? 'medium' },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(toolJson),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    presence_penalty: request.presence_penalty ?? 0,
    frequency_penalty: request.frequency_penalty ?? 0,
    truncation: request.truncation ?? 'disabled',
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  };
}

function formatJson(format: NonNullable<ResponsesRequest['text']>['format']): JsonRecord {
  if (format === undefined || format === null) return { type: 'text' };
  if (format.type !== 'json_schema') return format;
  return { ...format, description: format.description ?? null, strict: format.strict ?? false };
}

/** A function is repeated with all its members, which typed clients require. */
function toolJson(tool: ResponsesTool): JsonRecord {
  if (tool.type !== 'function') return tool;
  const { description, parameters, strict } = tool;
  return {
    ...tool,
    description: description ?? null,
    parameters: parameters ?? null,
    strict: strict ?? null,
  };
}
