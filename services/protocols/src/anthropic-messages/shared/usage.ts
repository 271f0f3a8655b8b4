import { messagesTier, tierOf } from '../../canonical/service-tier.ts';
import {
  countOf,
  inputTokensOf,
  type ReportedFigures,
  type Usage,
  unreadableFigures,
  usageOf,
} from '../../canonical/usage.ts';
import { detailsOf, NO_REPORT, type UsageDetails, type UsageReport, wordOf } from '../../canonical/usage-report.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';
import { type CalledUsage, withIterations } from './iterations.ts';

/**
 * Reads a `usage` object of a buffered response.
 *
 * @param cost what the upstream says it charges, in nano-dollars
 */
export function readReport(value: unknown, cost: bigint | undefined): UsageReport {
  if (!isRecord(value)) return NO_REPORT;
  const called = readCalledUsage(value);
  return {
    usage: called?.usage,
    unreadable: unreadableUsage(value),
    details: readDetails(value, cost, called?.calls),
  };
}

/** What a `usage` object says besides quantities. */
function readDetails(
  value: JsonRecord,
  cost: bigint | undefined,
  calls: CalledUsage['calls'],
): UsageDetails | undefined {
  return detailsOf({
    upstreamCostNanos: cost,
    serviceTier: tierOf(wordOf(value['service_tier'])),
    inferenceGeo: wordOf(value['inference_geo']),
    speed: wordOf(value['speed']),
    calls,
  });
}

/**
 * Reads a `usage` object of the messages protocol into disjoint buckets.
 *
 * `input_tokens`, `cache_read_input_tokens` and `cache_creation_input_tokens` are disjoint: the total input is
 * their sum (https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance, and the
 * SDK's doc comment of `Message.usage`). `cache_creation` splits the last one by lifetime; the remainder has the default
 * lifetime of 5 minutes. `output_tokens` is the inclusive total, `output_tokens_details.thinking_tokens` the thinking
 * part of it (SDK, `OutputTokensDetails`). `server_tool_use.web_search_requests` are billed by the search, page
 * fetches are not (https://platform.claude.com/docs/en/about-claude/pricing). The totals are without the compaction that
 * the provider ran, which is only among the `iterations`
 * (https://platform.claude.com/docs/en/build-with-claude/compaction#understanding-usage).
 *
 * @returns undefined if there is no such object, or its counts are not integers of at least 0: unknown, not zero
 */
export function readUsage(value: unknown): Usage | undefined {
  return isRecord(value) ? readCalledUsage(value)?.usage : undefined;
}

function readCalledUsage(value: JsonRecord): CalledUsage | undefined {
  const totals = usageFrom(value);
  return totals && withIterations(totals, value['iterations'], usageFrom);
}

/** The counts of an invalid `usage` object, see unreadableFigures. */
export function unreadableUsage(value: unknown): ReportedFigures | undefined {
  if (!isRecord(value)) return undefined;
  return unreadableFigures({
    input: value['input_tokens'],
    cache_read: value['cache_read_input_tokens'],
    cache_write_5m: value['cache_creation_input_tokens'],
    output: value['output_tokens'],
    search: recordOr(value['server_tool_use'])['web_search_requests'],
  });
}

/** The input of a `usage` object without the output. */
export function readInputUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const usage = usageFrom({ ...value, output_tokens: 0, output_tokens_details: null });
  // An upstream that does not know it yet reports 0.
  return usage !== undefined && inputTokensOf(usage) > 0 ? usage : undefined;
}

function usageFrom(value: JsonRecord): Usage | undefined {
  if (unreadableUsage(value) !== undefined) return undefined;
  const input = countOf(value['input_tokens']);
  const total = countOf(value['output_tokens']);
  if (input === undefined || total === undefined) return undefined;
  const thinking = countOf(recordOr(value['output_tokens_details'])['thinking_tokens']) ?? 0;
  const reasoning = Math.min(thinking, total);
  return usageOf({
    input,
    cache_read: countOf(value['cache_read_input_tokens']) ?? 0,
    ...cacheWrites(value['cache_creation_input_tokens'], value['cache_creation']),
    output: total - reasoning,
    reasoning,
    search: countOf(recordOr(value['server_tool_use'])['web_search_requests']) ?? 0,
  });
}

/**
 * If the total exceeds a split that has only the long lifetime, the remainder has that lifetime too. A split beyond the total is
 * an earlier event's.
 */
function cacheWrites(total: unknown, split: unknown): { cache_write_5m: number; cache_write_1h: number } {
  const lifetimes = recordOr(split);
  const short = countOf(lifetimes['ephemeral_5m_input_tokens']) ?? 0;
  const long = countOf(lifetimes['ephemeral_1h_input_tokens']) ?? 0;
  const written = countOf(total) || short + long;
  const isLong = long > 0 && short === 0;
  const written1h = isLong ? written : Math.min(long, written);
  return { cache_write_5m: written - written1h, cache_write_1h: written1h };
}

/**
 * A `usage` object with all members that the SDK's `Usage` requires.
 *
 * @param cost a JSON number of US dollars; omitted if undefined
 */
export function encodeUsage(usage: Usage, cost: string | undefined): string {
  const json = JSON.stringify({
    ...counts(usage),
    inference_geo: usage.options?.inference_geo ?? null,
    service_tier: messagesTier(usage.options?.service_tier),
    speed: usage.options?.speed ?? null,
  });
  return cost === undefined ? json : withCost(json, cost);
}

/**
 * The cumulative `usage` of a `message_delta`. It names the tier only if that is another than at the start of the stream.
 *
 * @param startTier as `message_start` named it; the same if absent
 */
export function encodeDeltaUsage(usage: Usage, cost: string, startTier?: string | null): string {
  const tier = messagesTier(usage.options?.service_tier);
  const isOther = startTier !== undefined && startTier !== tier;
  return withCost(JSON.stringify({ ...counts(usage), ...(isOther && { service_tier: tier }) }), cost);
}

/** Lifetimes that the protocol does not have count as the next shorter one. */
function counts(usage: Usage): JsonRecord {
  const { reasoning, search } = usage;
  const short = usage.cache_write_5m + usage.cache_write_30m;
  const long = usage.cache_write_1h + usage.cache_write_12h;
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: short + long,
    cache_read_input_tokens: usage.cache_read,
    cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
    output_tokens: usage.output + reasoning,
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: search === 0 ? null : { web_search_requests: search, web_fetch_requests: 0 },
  };
}

function withCost(json: string, cost: string): string {
  return `${json.slice(0, -1)},"cost":${cost}}`;
}
