import { simulatedProviders } from '@tollgate/test-support/gateway/simulated-providers';
import { UPSTREAMS, type UpstreamName } from '../cells.ts';

/** The model of each provider protocol, by a name that no agent knows. */
export function neutralModel(upstream: UpstreamName): string {
  return `on-${upstream}`;
}

/** Codex chooses tools and instructions by the beginning of the name. */
export function modelKnownToCodex(upstream: UpstreamName): string {
  return `gpt-5.5-${neutralModel(upstream)}`;
}

/** A name for which Codex offers a single tool that runs JavaScript. */
export function codeModeModel(upstream: UpstreamName): string {
  return `gpt-6-sol-${neutralModel(upstream)}`;
}

/** One provider per protocol, all of them the simulator, with a model by each name, as JSON. */
export function agentsCatalogue(providerUrl: string): string {
  return JSON.stringify({
    version: 1,
    providers: simulatedProviders(providerUrl),
    models: UPSTREAMS.flatMap((upstream) => [
      model(neutralModel(upstream), upstream),
      model(modelKnownToCodex(upstream), upstream),
      model(codeModeModel(upstream), upstream),
    ]),
  });
}

function model(id: string, provider: UpstreamName): object {
  return {
    id,
    owned_by: 'tests',
    created: '2025-01-01',
    input: ['text', 'image', 'file'],
    context_window: 400_000,
    max_output_tokens: 64_000,
    max_tokens_per_image: 1_600,
    price: { input: 2, cache_read: 0.5, cache_write_5m: 2.5, cache_write_1h: 4, output: 8 },
    deployments: [{ provider }],
  };
}
