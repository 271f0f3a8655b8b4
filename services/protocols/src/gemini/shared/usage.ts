import { geminiTier, tierOf } from '../../canonical/service-tier.ts';
import {
  countOf,
  inputTokensOf,
  type ReportedFigures,
  type Usage,
  unreadableFigures,
  usageOf,
} from '../../canonical/usage.ts';
import { detailsOf, type UsageDetails, wordOf } from '../../canonical/usage-report.ts';
import { isRecord } from '../../json/record.ts';

/**
 * Reads a `usageMetadata` object into disjoint buckets.
 *
 * `promptTokenCount` contains `cachedContentTokenCount`; `toolUsePromptTokenCount` (added to the prompt by tools of
 * the provider) comes on top of it, as `thoughtsTokenCount` does on top of `candidatesTokenCount`. If the total
 * shows that thoughts are within the candidates, they are subtracted. Google omits counts of zero.
 * https://ai.google.dev/api/generate-content#UsageMetadata
 *
 * @param isFoundFree whether what tools have added to the prompt is not billed
 * @returns undefined if there is no such object, no count of the prompt, or a count that is not an integer of at least
 *   0: unknown, not zero
 */
export function readUsage(value: unknown, isFoundFree = false): Usage | undefined {
  if (!isRecord(value) || unreadableUsage(value) !== undefined) return undefined;
  const prompt = countOf(value['promptTokenCount']);
  if (prompt === undefined) return undefined;
  const cacheRead = Math.min(countOf(value['cachedContentTokenCount']) ?? 0, prompt);
  const ofTools = countOf(value['toolUsePromptTokenCount']) ?? 0;
  const thoughts = countOf(value['thoughtsTokenCount']) ?? 0;
  const total = countOf(value['totalTokenCount']);
  const reported = countOf(value['candidatesTokenCount']);
  const candidates = reported ?? Math.max(0, (total ?? 0) - prompt - ofTools - thoughts);
  const isWithin = thoughts > 0 && thoughts <= candidates && total === prompt + ofTools + candidates;
  return usageOf({
    input: prompt - cacheRead + (isFoundFree ? 0 : ofTools),
    cache_read: cacheRead,
    output: isWithin ? candidates - thoughts : candidates,
    reasoning: thoughts,
  });
}

/** What a `usageMetadata` object says besides quantities. */
export function readDetails(value: unknown): UsageDetails | undefined {
  if (!isRecord(value)) return undefined;
  return detailsOf({ serviceTier: tierOf(wordOf(value['serviceTier']) ?? wordOf(value['trafficType'])) });
}

/** A `usageMetadata` object for the client with how a provider's own report says it served the call, on Vertex AI. */
export function withTrafficType(json: string, reported: unknown): string {
  const type = isRecord(reported) ? wordOf(reported['trafficType']) : undefined;
  return type === undefined ? json : `${json.slice(0, -1)},"trafficType":${JSON.stringify(type)}}`;
}

/** The counts of an invalid `usageMetadata` object, see unreadableFigures. */
export function unreadableUsage(value: unknown): ReportedFigures | undefined {
  if (!isRecord(value)) return undefined;
  return unreadableFigures({
    input: value['promptTokenCount'],
    output: value['candidatesTokenCount'],
    reasoning: value['thoughtsTokenCount'],
  });
}

/**
 * A `usageMetadata` object, for a response whose upstream reported none or uses another protocol.
 *
 * @param cost a JSON number of US dollars
 */
export function encodeUsage(usage: Usage, cost: string): string {
  const prompt = inputTokensOf(usage);
  const tier = usage.options?.service_tier;
  const counts = {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output,
    totalTokenCount: prompt + usage.output + usage.reasoning,
    ...(usage.cache_read > 0 && { cachedContentTokenCount: usage.cache_read }),
    ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
    ...(tier !== undefined && { serviceTier: geminiTier(tier) }),
  };
  return `${JSON.stringify(counts).slice(0, -1)},"cost":${cost}}`;
}
