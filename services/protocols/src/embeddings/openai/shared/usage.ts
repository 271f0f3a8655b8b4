import { countOf, type ReportedFigures, type Usage, unreadableFigures, usageOf } from '../../../canonical/usage.ts';
import { isRecord } from '../../../json/record.ts';

/**
 * Decodes the `usage` of an embeddings response: `prompt_tokens`, or `total_tokens` if an upstream reports only that. They
 * are equal, since nothing is generated. An input is never empty, so a report of 0 tokens is ignored.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const tokens = [value['prompt_tokens'], value['total_tokens']].map(countOf).find((count) => (count ?? 0) > 0);
  return tokens === undefined ? undefined : usageOf({ input: tokens });
}

/** The counts of such an object if they are invalid, see unreadableFigures. */
export function unreadableUsage(value: unknown): ReportedFigures | undefined {
  if (!isRecord(value) || readUsage(value) !== undefined) return undefined;
  return unreadableFigures({ input: value['prompt_tokens'] ?? value['total_tokens'] });
}

/** @param cost a JSON number of US dollars */
export function encodeUsage({ input }: Usage, cost: string): string {
  return `{"prompt_tokens":${input},"total_tokens":${input},"cost":${cost}}`;
}
