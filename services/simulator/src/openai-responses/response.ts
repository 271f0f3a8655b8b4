import type { Controls } from '../controls/schema.ts';
import { CREATED, NO_USAGE, type Plan, type Usage } from '../model/plan.ts';
import { SERVER_ERROR } from '../openai-chat/errors.ts';
import { servedTier } from '../openai-chat/service-tier.ts';
import { isIncomplete, type OutputItem } from './items.ts';
import type { InputTool, ResponsesBody } from './schema.ts';

/** A response object before any output. */
export function openingResponse(plan: Plan, body: ResponsesBody): object {
  return { ...baseResponse(plan, body), status: 'in_progress' };
}

/** A response object as it ends. */
export function finalResponse(
  plan: Plan,
  body: ResponsesBody,
  output: readonly OutputItem[],
  controls: Controls,
): object {
  const status = finalStatus(plan);
  return {
    ...withTier(baseResponse(plan, body), servedTier(body.service_tier, controls)),
    status,
    completed_at: status === 'completed' ? CREATED : null,
    output,
    error: status === 'failed' ? { code: 'server_error', message: SERVER_ERROR.message } : null,
    incomplete_details: status === 'incomplete' ? { reason: incompleteReason(plan) } : null,
    usage: controls.usage === 'omit' ? null : usageJson(controls.usage === 'zero' ? NO_USAGE : plan.usage),
    ...(controls.usage === 'omit' ? {} : { tool_usage: toolUsageJson(plan.web?.searches ?? 0) }),
  };
}

/** A response with another tier, or without one. */
function withTier<Base extends { service_tier: string }>(base: Base, tier: { service_tier?: string }) {
  const { service_tier: _requested, ...rest } = base;
  return { ...rest, ...tier };
}

/** The status, which is also in the name of the last event. */
export function finalStatus(plan: Plan): 'completed' | 'incomplete' | 'failed' {
  if (plan.finish === 'failed') return 'failed';
  return isIncomplete(plan) ? 'incomplete' : 'completed';
}

function incompleteReason(plan: Plan): string {
  return plan.finish === 'length' || plan.finish === 'context' ? 'max_output_tokens' : 'content_filter';
}

/** Counts in this protocol's words. */
export function usageJson(usage: Usage) {
  return {
    input_tokens: usage.input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}

/** What the provider's tools are billed for besides tokens: searches, and no opened pages. */
function toolUsageJson(searches: number) {
  const images = { image_tokens: 0, text_tokens: 0 };
  return {
    image_gen: {
      input_tokens: 0,
      input_tokens_details: images,
      output_tokens: 0,
      output_tokens_details: images,
      total_tokens: 0,
    },
    web_search: { num_requests: searches },
  };
}

function baseResponse(plan: Plan, body: ResponsesBody) {
  return {
    id: `resp_sim${plan.digest.slice(0, 40)}`,
    object: 'response',
    created_at: CREATED,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: plan.model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    presence_penalty: 0,
    frequency_penalty: 0,
    previous_response_id: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    prompt_cache_retention: body.prompt_cache_retention ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    // What was requested, until the response has ended.
    service_tier: body.service_tier ?? 'auto',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: body.text?.format ?? { type: 'text' }, verbosity: body.text?.verbosity ?? 'medium' },
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []).map(toolJson),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: null,
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  };
}

/** Settings of searches that the request leaves out. */
const SEARCH = {
  search_context_size: 'medium',
  user_location: { type: 'approximate', city: null, country: 'US', region: null, timezone: null },
};

function toolJson(tool: InputTool): object {
  if (tool.type === 'web_search' || tool.type === 'web_search_2025_08_26') return { filters: null, ...SEARCH, ...tool };
  if (tool.type !== 'function') return tool;
  return {
    ...tool,
    description: tool.description ?? null,
    parameters: tool.parameters ?? null,
    strict: tool.strict ?? true,
  };
}
