import { tierOf } from '../../canonical/service-tier.ts';
import { inputTokensOf, type Usage, writtenTokensOf } from '../../canonical/usage.ts';
import { detailsOf, NO_REPORT, type UsageReport, wordOf } from '../../canonical/usage-report.ts';
import { readInclusiveUsage, unreadableInclusiveUsage } from '../../interface/inclusive-usage.ts';
import { readUpstreamCost } from '../../interface/upstream-cost.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';

/**
 * Reads the usage of a response object (https://developers.openai.com/api/docs/guides/prompt-caching,
 * https://developers.openai.com/api/docs/guides/reasoning).
 *
 * @param data the JSON that contains the response
 * @param path of the response in it
 */
export function readReport(response: JsonRecord, data: Buffer, path: readonly string[]): UsageReport {
  const { usage } = response;
  const details = detailsOf({
    upstreamCostNanos: readUpstreamCost(usage, () => data.toString('utf8'), [...path, 'usage']),
    serviceTier: tierOf(wordOf(response['service_tier'])),
  });
  return isRecord(usage)
    ? { usage: readInclusiveUsage(usage), unreadable: unreadableInclusiveUsage(usage), details }
    : { ...NO_REPORT, details };
}

/**
 * A `usage` object of responses.
 *
 * @param cost a JSON number of US dollars
 */
export function encodeUsage(usage: Usage, cost: string): string {
  const { cache_write_30m: written30m, cache_write_12h: written12h } = usage;
  const input = inputTokensOf(usage);
  const output = usage.output + usage.reasoning;
  const counts = {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cache_read,
      cache_write_tokens: writtenTokensOf(usage),
      ...(written30m + written12h > 0 && {
        cache_write_tokens_details: { ttl_12h_tokens: written12h, ttl_30m_tokens: written30m },
      }),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + output,
  };
  return `${JSON.stringify(counts).slice(0, -1)},"cost":${cost}}`;
}
