import type { Usage } from '../model/plan.ts';

/** Google's usage object: thoughts are counted next to the candidates, cached input within the prompt; zeros are left out. */
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
