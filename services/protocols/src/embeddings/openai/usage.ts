import { isRecord } from '../../json/record.ts';
import { type Usage, usageOf } from '../../usage.ts';

/**
 * Reads the `usage` of an embeddings answer: `prompt_tokens`, or `total_tokens` where an upstream gives only that, which
 * are the same, since nothing is generated. An input is never empty, so 0 tokens is no report.
 */
export function readOpenaiEmbeddingsUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const tokens = [value['prompt_tokens'], value['total_tokens']].find(isCount);
  return tokens === undefined ? undefined : usageOf({ input: tokens });
}

/** @param cost a JSON number of US dollars */
export function openaiEmbeddingsUsageJson({ input }: Usage, cost: string): string {
  return `{"prompt_tokens":${input},"total_tokens":${input},"cost":${cost}}`;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
