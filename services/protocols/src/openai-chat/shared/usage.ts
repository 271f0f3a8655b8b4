import { type ReportedFigures, type Usage, unreadableFigures, usageOfTotals } from '../../canonical/usage.ts';
import { isRecord, nonNegativeInteger, recordOr } from '../../json/record.ts';

/**
 * Reads a `usage` object of chat completions into disjoint buckets.
 *
 * OpenAI's `prompt_tokens` contain those read from and those written to a cache, its `completion_tokens` the reasoning.
 * Cache writes are counted in the bucket of the short lifetime (they last 30 minutes). An upstream whose total shows
 * that reasoning comes on top of `completion_tokens` (xAI does so) is decoded that way. Inconsistent details are limited to
 * what the totals allow.
 *
 * @returns undefined if there is no such object, or its totals are not integers of at least 0: unknown, not zero
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const prompt = nonNegativeInteger(value['prompt_tokens']);
  const completion = nonNegativeInteger(value['completion_tokens']);
  if (prompt === undefined || completion === undefined) return undefined;
  const promptDetails = recordOr(value['prompt_tokens_details']);
  const cached = promptDetails['cached_tokens'] ?? value['prompt_cache_hit_tokens'] ?? value['cached_tokens'];
  return usageOfTotals({
    input: prompt,
    output: completion,
    cacheRead: nonNegativeInteger(cached) ?? 0,
    cacheWrite: nonNegativeInteger(promptDetails['cache_write_tokens']) ?? 0,
    reasoning: nonNegativeInteger(recordOr(value['completion_tokens_details'])['reasoning_tokens']) ?? 0,
    total: value['total_tokens'],
  });
}

/** The totals of an invalid `usage` object, see unreadableFigures. */
export function unreadableUsage(value: unknown): ReportedFigures | undefined {
  if (!isRecord(value)) return undefined;
  return unreadableFigures({ input: value['prompt_tokens'], output: value['completion_tokens'] });
}

/**
 * A `usage` object of chat completions, for a response whose upstream reported none.
 *
 * @param cost a JSON number of US dollars
 */
export function encodeUsage(usage: Usage, cost: string): string {
  const prompt = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
  const completion = usage.output + usage.reasoning;
  const counts = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cache_read,
      cache_write_tokens: usage.cache_write_5m + usage.cache_write_1h,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
  return `${JSON.stringify(counts).slice(0, -1)},"cost":${cost}}`;
}
