/** The protocols of the simulated provider. */
export const SIMULATED_PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type SimulatedProtocol = (typeof SIMULATED_PROTOCOLS)[number];

interface Entry {
  basePath: string;
  auth: string;
  /** What the simulated provider accepts, as the real ones do. */
  parameters: object;
}

const ENTRIES: Readonly<Record<SimulatedProtocol, Entry>> = {
  'openai-chat': {
    basePath: '/v1',
    auth: 'bearer',
    parameters: { max_user_id_length: 64, reasoning_history: 'reasoning_content', extra_content: true },
  },
  'openai-responses': {
    basePath: '/v1',
    auth: 'bearer',
    parameters: { max_user_id_length: 64, min_output_tokens: 16 },
  },
  'anthropic-messages': {
    basePath: '/v1',
    auth: 'x-api-key',
    parameters: { sampling: 'one_of_temperature_top_p', max_user_id_length: 256, whitespace_stops: false },
  },
  gemini: {
    basePath: '/v1beta',
    auth: 'x-goog-api-key',
    parameters: { media_in_results: true },
  },
};

/** The catalogue's entries for the simulated provider: one for each protocol, which is also its id. */
export function simulatedProviders(url: string): object[] {
  return SIMULATED_PROTOCOLS.map((protocol) => {
    const { basePath, auth, parameters } = ENTRIES[protocol];
    return {
      id: protocol,
      protocol,
      base_url: `${url}${basePath}`,
      auth,
      api_key: { env: 'TEST_PROVIDER_KEY' },
      simulated: true,
      parameters,
    };
  });
}
