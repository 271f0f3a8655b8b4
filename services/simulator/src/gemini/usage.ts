import type { Usage } from '../model/plan.ts';

/**
 * Google's usage object: thoughts are separate from candidates, cached input is part of the prompt, zeros are omitted.
 */
export function usageJson(usage: Usage) {
  const candidates = usage.output - usage.reasoning;
  return {
    promptTokenCount: usage.input,
    ...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
    ...(candidates > 0 ? { candidatesTokenCount: candidates } : {}),
    ...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
    totalTokenCount: usage.input + usage.output,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
  };
}
