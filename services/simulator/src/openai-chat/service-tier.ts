import type { Controls } from '../controls/schema.ts';

/** The tier that OpenAI reports for a request: the one that served it. Its project leaves the choice at `default`. */
export function servedTier(requested: string | null | undefined, controls: Controls): { service_tier?: string } {
  const word = controls.service_tier === undefined ? usualTier(requested) : controls.service_tier;
  return word === null ? {} : { service_tier: word };
}

function usualTier(requested: string | null | undefined): string {
  switch (requested) {
    case undefined:
    case null:
    case 'auto':
      return 'default';
    // Two names for one tier.
    case 'fast':
      return 'priority';
    default:
      return requested;
  }
}
