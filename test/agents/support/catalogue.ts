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

/** What a search costs, in dollars per million. */
const SEARCHES = { price: { search: 10_000 }, web_tools: { max_searches: 3, max_tokens_per_use: 2_000 } };

/**
 * Models whose provider may search the web, and one whose may not. Claude Code decides by the name whether it forces a
 * search: for Claude 4 models it does. Gemini CLI searches with a model of its own choice, whatever the user chose.
 */
const WEB_MODELS = [
  model('claude-opus-5-5', 'anthropic-messages', SEARCHES),
  model('claude-sonnet-4-6', 'anthropic-messages', SEARCHES),
  model('claude-opus-4-6', 'anthropic-messages'),
  model('searching', 'openai-responses', SEARCHES),
  model('gpt-5.5-searching', 'openai-responses', SEARCHES),
  model('gemini-searching', 'gemini', { ...SEARCHES, aliases: ['gemini-3-flash-preview'] }),
];

/** One provider per protocol, all of them the simulator, with a model by each name, as JSON. */
export function agentsCatalogue(providerUrl: string): string {
  return JSON.stringify({
    version: 1,
    providers: simulatedProviders(providerUrl),
    models: [
      ...UPSTREAMS.flatMap((upstream) => [
        model(neutralModel(upstream), upstream),
        model(modelKnownToCodex(upstream), upstream),
        model(codeModeModel(upstream), upstream),
      ]),
      ...WEB_MODELS,
    ],
  });
}

function model(
  id: string,
  provider: UpstreamName,
  { price = {}, ...fields }: Partial<Record<'price' | 'web_tools' | 'aliases', object>> = {},
): object {
  return {
    id,
    owned_by: 'tests',
    created: '2025-01-01',
    input: ['text', 'image', 'file'],
    context_window: 400_000,
    max_output_tokens: 64_000,
    max_tokens_per_image: 1_600,
    price: { input: 2, cache_read: 0.5, cache_write_5m: 2.5, cache_write_1h: 4, output: 8, ...price },
    deployments: [{ provider }],
    ...fields,
  };
}
