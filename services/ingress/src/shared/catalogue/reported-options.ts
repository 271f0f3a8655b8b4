import { OPTION_NAMES, type OptionName } from '@tollgate/common/billing/price-options';
import type { CacheWriteBucket, Usage } from '@tollgate/protocols/canonical/usage';
import type { UsageDetails } from '@tollgate/protocols/canonical/usage-report';

/** A usage whose cache writes of unknown lifetime, which count as the shortest, have that which the request asked for. */
export function withLifetime(usage: Usage, asked: CacheWriteBucket | undefined): Usage {
  const { cache_write_5m: unknown } = usage;
  if (asked === undefined || asked === 'cache_write_5m' || unknown === 0) return usage;
  return { ...usage, cache_write_5m: 0, [asked]: usage[asked] + unknown };
}

/** A usage with what its report says of the price: the options that applied, and the calls of the model. */
export function withReport(usage: Usage, details: UsageDetails | undefined): Usage {
  if (details === undefined) return usage;
  const { serviceTier, speed, inferenceGeo, calls } = details;
  const words = {
    service_tier: serviceTier,
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
