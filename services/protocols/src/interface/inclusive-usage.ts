import { countOf, type ReportedFigures, type Usage, unreadableFigures, usageOfTotals } from '../canonical/usage.ts';
import { isRecord, isSet, type JsonRecord, recordOr } from '../json/record.ts';

/**
 * Reads a `usage` object of chat completions or responses into disjoint buckets. Compatible upstreams mix the names of both.
 *
 * OpenAI's `prompt_tokens` (`input_tokens`) contain those read from and those written to a cache, its `completion_tokens`
 * (`output_tokens`) the reasoning. Cache writes without a lifetime are counted in the bucket of the shortest.
 * usageOfTotals decides what comes on top of the totals. A total that is missing is derived from the others; what cannot be
 * is 0, for the meter to count.
 *
 * @returns undefined if there is no such object, it has no totals, or they are not integers of at least 0: unknown, not zero
 */
export function readInclusiveUsage(value: unknown): Usage | undefined {
  if (!isRecord(value) || unreadableInclusiveUsage(value) !== undefined) return undefined;
  const total = countOf(value['total_tokens']);
  const givenInput = inputOf(value);
  const givenOutput = countOf(outputFigure(value));
  if (givenInput === undefined && givenOutput === undefined) return undefined;
  const input = givenInput ?? Math.max(0, (total ?? 0) - (givenOutput ?? 0));
  const output = givenOutput ?? Math.max(0, (total ?? 0) - input);
  return usageOfTotals({
    // Perplexity bills the pages that a deep search cites like the prompt.
    input: input + (countOf(value['citation_tokens']) ?? 0),
    output,
    ...cacheFigures(value),
    ...reasoningFigures(value),
    total: isSet(value['citation_tokens']) ? undefined : total,
    search: searchesOf(value),
  });
}

function inputOf(value: JsonRecord): number | undefined {
  const input = countOf(inputFigure(value));
  if (input !== undefined) return input;
  const { prompt_cache_hit_tokens: hit, prompt_cache_miss_tokens: miss } = value;
  return isSet(hit) && isSet(miss) ? (countOf(hit) ?? 0) + (countOf(miss) ?? 0) : undefined;
}

function inputFigure(value: JsonRecord): unknown {
  return value['prompt_tokens'] ?? value['input_tokens'];
}

function outputFigure(value: JsonRecord): unknown {
  return value['completion_tokens'] ?? value['output_tokens'];
}

/**
 * OpenAI: `prompt_tokens_details.cached_tokens`, in responses `cache_write_tokens_details` by lifetime; DeepSeek:
 * `prompt_cache_hit_tokens`; Moonshot, Together: `cached_tokens`;
 * Mistral: `num_cached_tokens` and `prompt_token_details`; Qwen: `cache_creation_input_tokens` within the details, split by
 * lifetime as Anthropic does. Routers to Anthropic repeat its names; Perplexity has them within the details.
 */
function cacheFigures(value: JsonRecord) {
  const details = recordOr(
    value['prompt_tokens_details'] ?? value['prompt_token_details'] ?? value['input_tokens_details'],
  );
  const lifetimes = recordOr(details['cache_creation'] ?? value['cache_creation']);
  const written = recordOr(details['cache_write_tokens_details']);
  const parts = {
    cache_write_30m: most(written['ttl_30m_tokens']),
    cache_write_1h: most(lifetimes['ephemeral_1h_input_tokens']),
    cache_write_12h: most(written['ttl_12h_tokens']),
  };
  return {
    cacheRead: most(
      details['cached_tokens'],
      value['prompt_cache_hit_tokens'],
      value['cached_tokens'],
      value['num_cached_tokens'],
      details['cache_read_input_tokens'],
      value['cache_read_input_tokens'],
    ),
    cacheWrite: Math.max(
      most(
        details['cache_write_tokens'],
        details['cache_creation_tokens'],
        details['cache_creation_input_tokens'],
        value['cache_creation_input_tokens'],
      ),
      most(lifetimes['ephemeral_5m_input_tokens']) + parts.cache_write_1h,
      parts.cache_write_30m + parts.cache_write_12h,
    ),
    lifetimes: parts,
  };
}

/** SGLang has `reasoning_tokens` beside the totals; Perplexity too, and on top of them. */
function reasoningFigures(value: JsonRecord) {
  const details = recordOr(value['completion_tokens_details'] ?? value['output_tokens_details']);
  const detailed = most(details['reasoning_tokens']);
  const isSearch = isSet(value['citation_tokens']) || isSet(value['num_search_queries']);
  return {
    reasoning: Math.max(detailed, most(value['reasoning_tokens'])),
    hasReasoningOnTop: isSearch && detailed === 0,
  };
}

/**
 * Perplexity: `num_search_queries`, in responses `tool_calls_details`, which is documented as `web_search` and says
 * `search_web`; xAI: `num_sources_used`, in responses `server_side_tool_usage_details`; OpenRouter:
 * `server_tool_use.web_search_requests`.
 */
function searchesOf(value: JsonRecord): number {
  const tools = recordOr(value['server_tool_use']);
  const calls = recordOr(value['tool_calls_details']);
  return most(
    value['num_search_queries'],
    value['num_sources_used'],
    tools['web_search_requests'],
    recordOr(value['server_side_tool_usage_details'])['web_search_calls'],
    recordOr(calls['search_web'])['invocation'],
    recordOr(calls['web_search'])['invocation'],
  );
}

/** The highest of the figures that are counts. */
function most(...figures: readonly unknown[]): number {
  let highest = 0;
  for (const figure of figures) {
    const count = figure === undefined ? undefined : countOf(figure);
    if (count !== undefined && count > highest) highest = count;
  }
  return highest;
}

/** The totals of an invalid `usage` object, see unreadableFigures. */
export function unreadableInclusiveUsage(value: unknown): ReportedFigures | undefined {
  if (!isRecord(value)) return undefined;
  return unreadableFigures({ input: inputFigure(value), output: outputFigure(value) });
}
