import { type ReportedFigures, type Usage, unreadableFigures, usageOfTotals } from '../../canonical/usage.ts';
import { isRecord, nonNegativeInteger, recordOr } from '../../json/record.ts';

/**
 * Reads a `usage` object of responses into disjoint buckets.
 *
 * OpenAI's `input_tokens` contain those read from and those written to a cache, its `output_tokens` the reasoning
 * (https://developers.openai.com/api/docs/guides/prompt-caching, https://developers.openai.com/api/docs/guides/reasoning).
 * Cache writes are counted in the bucket of the short lifetime (they last 30 minutes; longer ones are rejected). An
 * upstream whose total shows that reasoning comes on top of `output_tokens` is decoded that way. Inconsistent details are
 * limited to what the totals allow.
 *
 * @returns undefined if there is no such object, or its totals are not integers of at least 0: unknown, not zero
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const input = nonNegativeInteger(value['input_tokens']);
  const output = nonNegativeInteger(value['output_tokens']);
  if (input === undefined || output === undefined) return undefined;
  const inputDetails = recordOr(value['input_tokens_details']);
  return usageOfTotals({
    input,
    output,
    cacheRead: nonNegativeInteger(inputDetails['cached_tokens']) ?? 0,
    cacheWrite: nonNegativeInteger(inputDetails['cache_write_tokens']) ?? 0,
    reasoning: nonNegativeInteger(recordOr(value['output_tokens_details'])['reasoning_tokens']) ?? 0,
    total: value['total_tokens'],
  });
}

/** The totals of an invalid `usage` object, see unreadableFigures. */
export function unreadableUsage(value: unknown): ReportedFigures | undefined {
  if (!isRecord(value)) return undefined;
  return unreadableFigures({ input: value['input_tokens'], output: value['output_tokens'] });
}

/**
 * A `usage` object of responses.
 *
 * @param cost a JSON number of US dollars
 */
export function encodeUsage(usage: Usage, cost: string): string {
  const written = usage.cache_write_5m + usage.cache_write_1h;
  const input = usage.input + usage.cache_read + written;
  const output = usage.output + usage.reasoning;
  const counts = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cache_read, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + output,
  };
  return `${JSON.stringify(counts).slice(0, -1)},"cost":${cost}}`;
}
