import { type ReportedFigures, type Usage, unreadableFigures, usageOf } from '../../canonical/usage.ts';
import { numberOf } from '../../json/lossless.ts';
import { isRecord, nonNegativeInteger } from '../../json/record.ts';

/**
 * Reads a `usageMetadata` object into disjoint buckets.
 *
 * `promptTokenCount` contains `cachedContentTokenCount`; `toolUsePromptTokenCount` (added to the prompt by tools of
 * the provider) comes on top of it, as `thoughtsTokenCount` does on top of `candidatesTokenCount`. If the total
 * shows that thoughts are within the candidates, they are subtracted. Google omits counts of zero.
 * https://ai.google.dev/api/generate-content#UsageMetadata
 *
 * @returns undefined if there is no such object, no count of the prompt, or a count that is not an integer of at least
 *   0: unknown, not zero
 */
export function readUsage(value: unknown): Usage | undefined {
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
    input: prompt - cacheRead + ofTools,
    cache_read: cacheRead,
    output: isWithin ? candidates - thoughts : candidates,
    reasoning: thoughts,
  });
}

/** The counts of an invalid `usageMetadata` object, see unreadableFigures. */
export function unreadableUsage(value: unknown): ReportedFigures | undefined {
  if (!isRecord(value)) return undefined;
  const figure = (name: string): unknown => numberOf(value[name]) ?? value[name];
  return unreadableFigures({
    input: figure('promptTokenCount'),
    output: figure('candidatesTokenCount'),
    reasoning: figure('thoughtsTokenCount'),
  });
}

/**
 * A `usageMetadata` object, for a response whose upstream reported none or uses another protocol.
 *
 * @param cost a JSON number of US dollars
 */
export function encodeUsage(usage: Usage, cost: string): string {
  const prompt = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
  const counts = {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output,
    totalTokenCount: prompt + usage.output + usage.reasoning,
    ...(usage.cache_read > 0 && { cachedContentTokenCount: usage.cache_read }),
    ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
  };
  return `${JSON.stringify(counts).slice(0, -1)},"cost":${cost}}`;
}

function countOf(value: unknown): number | undefined {
  return nonNegativeInteger(numberOf(value));
}
