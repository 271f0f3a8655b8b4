import type { ProtocolName } from '../../sdk/scenario.ts';

/** The protocols of llama.cpp's server. */
export const UPSTREAMS = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const;
export type Upstream = (typeof UPSTREAMS)[number];

/** Nano-dollars per token. */
export const PRICE = { input: 2_000n, cacheRead: 500n, output: 8_000n } as const;
/** More than the server's own, which is 4,096, so that a prompt that is too long reaches the server. */
const CONTEXT_WINDOW = 128_000;

/** The model behind one of the server's protocols. */
export function modelOn(upstream: ProtocolName): string {
  return `llama-on-${upstream}`;
}

/** A provider entry for each protocol of the server, with one model each, as JSON. */
export function serverCatalogue(url: string): string {
  const dollars = (nanosPerToken: bigint) => Number(nanosPerToken) / 1_000;
  return JSON.stringify({
    version: 1,
    providers: UPSTREAMS.map((protocol) => ({
      id: protocol,
      protocol,
      dialect: 'llama-cpp',
      base_url: `${url}/v1`,
      api_key: { env: 'TEST_PROVIDER_KEY' },
    })),
    models: UPSTREAMS.map((protocol) => ({
      id: modelOn(protocol),
      context_window: CONTEXT_WINDOW,
      max_output_tokens: 1_024,
      price: { input: dollars(PRICE.input), cache_read: dollars(PRICE.cacheRead), output: dollars(PRICE.output) },
      deployments: [{ provider: protocol, model: 'llama' }],
    })),
  });
}
