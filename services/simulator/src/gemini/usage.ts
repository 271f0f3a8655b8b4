import type { Controls } from '../controls/schema.ts';
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

/** How a request was processed: the Gemini API reports a tier, Vertex AI a type of traffic. */
export function processingOf(requested: string | undefined, controls: Controls): object {
  const { service_tier: word, traffic_type: traffic } = controls;
  if (traffic !== undefined) return traffic === null ? {} : { trafficType: traffic };
  if (word !== undefined) return word === null ? {} : { serviceTier: word };
  const tier = (requested ?? 'standard').toLowerCase().replace(/^service_tier_/, '');
  return { serviceTier: tier === 'unspecified' ? 'standard' : tier };
}
