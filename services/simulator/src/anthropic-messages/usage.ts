import type { Usage } from '../model/plan.ts';
import type { WebPlan } from '../model/web.ts';

/** Anthropic's usage object: its input excludes cache reads and writes. */
export function usageJson(usage: Usage, web?: WebPlan) {
  return {
    ...deltaUsageJson(usage, web),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    service_tier: 'standard',
    inference_geo: null,
    speed: 'standard',
  };
}

/** The counts in the last event of a stream. */
export function deltaUsageJson(usage: Usage, web?: WebPlan) {
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  return {
    input_tokens: usage.input - usage.cacheRead - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    server_tool_use: web === undefined ? null : { web_search_requests: web.searches, web_fetch_requests: web.fetches },
  };
}
