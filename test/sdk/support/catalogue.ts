import { simulatedProviders } from '@tollgate/test-support/gateway/simulated-providers';
import { PROTOCOLS, type ProtocolName } from '../scenario.ts';

/** The model served through a protocol. */
export function modelOn(upstream: ProtocolName): string {
  return `on-${upstream}`;
}

/** Models for failing calls: each fails rarely, so that its deployment stays in rotation. */
export const FRAGILE_MODELS = 160;

export function fragileModelOn(upstream: ProtocolName, number: number): string {
  return `fragile-on-${upstream}-${number % FRAGILE_MODELS}`;
}

/** Dollars per million tokens. All models have the same price, so that the same usage costs the same. */
export const PRICE = { input: 2, cache_read: 0.5, cache_write_5m: 2.5, cache_write_1h: 4, output: 8, reasoning: 16 };

export interface CatalogueOptions {
  /** Origin of a provider that supports all four protocols. */
  providerUrl: string;
  fragile: number;
  /** The provider's name of the model for each protocol; the gateway's by default. */
  names?: Readonly<Record<ProtocolName, string>> | undefined;
}

/** One model for each protocol of a provider, with the same price, as JSON. */
export function sdkCatalogue({ providerUrl, fragile, names }: CatalogueOptions): string {
  const timeouts = { connect_ms: 2_000, first_byte_ms: 60_000, idle_ms: 60_000, total_ms: 600_000 };
  return JSON.stringify({
    version: 1,
    providers: simulatedProviders(providerUrl).map((provider) => ({ ...provider, timeouts })),
    models: PROTOCOLS.flatMap((protocol) => [
      model(modelOn(protocol), protocol, names?.[protocol]),
      ...Array.from({ length: fragile }, (_, number) => model(fragileModelOn(protocol, number), protocol)),
    ]).concat(EMBEDDING_MODELS.map(({ model: id, protocol }) => embeddingModel(id, protocol))),
  });
}

/** Embedding models, one for each of the two protocols that have them. */
export const EMBEDDING_MODELS = [
  { model: 'vectors-one', protocol: 'openai-chat' },
  { model: 'vectors-two', protocol: 'gemini' },
] as const;

function embeddingModel(id: string, protocol: ProtocolName): object {
  return {
    id,
    owned_by: 'tests',
    created: '2025-01-01',
    output: ['embedding'],
    context_window: 8_192,
    price: { input: PRICE.input },
    deployments: [{ provider: protocol }],
  };
}

function model(id: string, protocol: ProtocolName, name?: string): object {
  return {
    id,
    owned_by: 'tests',
    created: '2025-01-01',
    input: ['text', 'image', 'file', 'audio'],
    context_window: 128_000,
    max_output_tokens: 16_384,
    tokens_per_message: 8,
    tokens_per_request: 32,
    max_tokens_per_image: 765,
    price: PRICE,
    deployments: [{ provider: protocol, ...(name !== undefined && { model: name }) }],
  };
}
