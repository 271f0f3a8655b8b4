import type { Controls } from '../controls/schema.ts';
import type { Usage } from '../model/plan.ts';
import type { WebPlan } from '../model/web.ts';

/**
 * Google's usage object: thoughts are separate from candidates, cached input is part of the prompt, zeros are omitted. The
 * prompt counts once however often web tools are used; what they found is separate.
 */
export function usageJson(usage: Usage, web?: WebPlan) {
  const prompt = web === undefined ? usage.input : Math.min(web.firstInput, usage.input);
  const found = web === undefined || usage.input === 0 ? 0 : web.found;
  const candidates = usage.output - usage.reasoning;
  return {
    promptTokenCount: prompt,
    ...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
    ...(candidates > 0 ? { candidatesTokenCount: candidates } : {}),
    ...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
    ...(found > 0
      ? {
          toolUsePromptTokenCount: found,
          toolUsePromptTokensDetails: [{ modality: 'TEXT', tokenCount: found }],
        }
      : {}),
    totalTokenCount: prompt + found + usage.output,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
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
