import { countOf, type ReportedFigures, type Usage, unreadableFigures, usageOf } from '../../../canonical/usage.ts';
import { isRecord } from '../../../json/record.ts';

/**
 * Reads the `usageMetadata` of an embeddings response (EmbeddingUsageMetadata), which has only `promptTokenCount`, since
 * nothing is generated. Older responses have none. An input is never empty, so a report of 0 tokens is ignored.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const tokens = [value['promptTokenCount'], value['totalTokenCount']].map(countOf).find((count) => (count ?? 0) > 0);
  return tokens === undefined ? undefined : usageOf({ input: tokens });
}

/** The counts of such an object if they are invalid, see unreadableFigures. */
export function unreadableUsage(value: unknown): ReportedFigures | undefined {
  if (!isRecord(value) || readUsage(value) !== undefined) return undefined;
  return unreadableFigures({ input: value['promptTokenCount'] ?? value['totalTokenCount'] });
}

/** @param cost a JSON number of US dollars */
export function encodeUsage({ input }: Usage, cost: string): string {
  return `{"promptTokenCount":${input},"totalTokenCount":${input},"cost":${cost}}`;
}
