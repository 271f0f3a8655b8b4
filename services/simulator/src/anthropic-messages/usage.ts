import type { Controls } from '../controls/schema.ts';
import type { Usage } from '../model/plan.ts';
import type { WebPlan } from '../model/web.ts';
import type { MessagesBody } from './schema.ts';

/** How a request was processed, as its usage reports it. */
export interface Processing {
  service_tier: string | null;
  inference_geo: string | null;
  speed: string | null;
}

/** `auto` is the standard tier, since nothing was committed to. */
export function processingOf(body: MessagesBody, controls: Controls): Processing {
  const { service_tier: tier = 'standard', inference_geo: geo = body.inference_geo ?? null } = controls;
  const { speed = body.speed ?? 'standard' } = controls;
  return { service_tier: tier, inference_geo: geo, speed };
}

/** Anthropic's usage object: its input excludes cache reads and writes. */
export function usageJson(usage: Usage, processing: Processing, web?: WebPlan) {
  return {
    ...deltaUsageJson(usage, web),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    ...processing,
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
