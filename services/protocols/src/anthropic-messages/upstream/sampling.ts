import type { CanonicalRequest } from '../../canonical/request.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';

/** Sampling fields, Anthropic's names for them, and their default values. */
const SAMPLING = [
  { field: 'temperature', key: 'temperature', free: (value: number) => value === 1 },
  { field: 'topP', key: 'top_p', free: (value: number) => value === 1 },
  { field: 'topK', key: 'top_k', free: () => false },
] as const;

/** https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility */
const MIN_THINKING_TOP_P = 0.95;

/** Why sampling fields cannot be sent. */
export interface SamplingLimits {
  readonly isThinking: boolean;
}

/** Encodes the sampling fields and the stop sequences. */
export function encodeSampling(
  request: CanonicalRequest,
  limits: SamplingLimits,
  diagnostics: Diagnostics,
): JsonRecord {
  const { names, stop } = request;
  const taken: Record<string, number> = {};
  for (const { field, key, free } of SAMPLING) {
    const value = request[field];
    if (value === undefined) continue;
    const reason = free(value) ? undefined : whyLeftOut(key, value, limits);
    if (reason !== undefined) diagnostics.warn(names[field], `left out, since ${reason}`);
    else if (!(limits.isThinking && key === 'temperature')) taken[key] = value;
  }
  return { ...taken, ...(stop !== undefined && stop.length > 0 && { stop_sequences: stop }) };
}

function whyLeftOut(key: string, value: number, { isThinking }: SamplingLimits): string | undefined {
  if (!isThinking) return undefined;
  if (key !== 'top_p') return 'this provider takes none while the model thinks';
  return value >= MIN_THINKING_TOP_P
    ? undefined
    : `this provider takes none below ${MIN_THINKING_TOP_P} while the model thinks`;
}
