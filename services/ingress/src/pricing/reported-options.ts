import { OPTION_NAMES, type OptionName } from '@tollgate/common/billing/price-options';
import type { Usage } from '@tollgate/protocols/canonical/usage';
import type { UsageDetails } from '@tollgate/protocols/canonical/usage-report';

/** A usage with what its report says of the price: the options that applied, and the calls of the model. */
export function withReport(usage: Usage, details: UsageDetails | undefined): Usage {
  if (details === undefined) return usage;
  const { serviceTier, speed, inferenceGeo, calls } = details;
  const words = {
    service_tier: tierOf(serviceTier),
    speed: speed?.toLowerCase(),
    inference_geo: inferenceGeo?.toLowerCase(),
  };
  const options: Partial<Record<OptionName, string>> = {};
  for (const name of OPTION_NAMES) {
    const word = words[name];
    if (word !== undefined) options[name] = word;
  }
  return {
    ...usage,
    ...(Object.keys(options).length > 0 && { options }),
    ...(calls !== undefined && { iterations: calls }),
  };
}

/** Google names a tier as an enum or, on Vertex AI, as a type of traffic. */
function tierOf(word: string | undefined): string | undefined {
  const name = word?.toLowerCase().replace(/^service_tier_/, '');
  return name === 'on_demand' ? name : name?.replace(/^on_demand_/, '');
}
