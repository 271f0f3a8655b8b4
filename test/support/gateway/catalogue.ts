import { DIALECT_NAMES, DISTANCES, otherDialect } from './dialects.ts';
import { STRICT_MODELS } from './strict-models.ts';

/** Rates of the test models in nano-dollars per million tokens, the same as in the catalogue below. */
export const RATES = {
  small: { input: 150_000_000n, cache_read: 75_000_000n, output: 600_000_000n },
  thinking: { input: 2_500_000_000n, cache_read: 250_000_000n, output: 10_000_000_000n, reasoning: 12_000_000_000n },
  /** Half a nano-dollar per token, to show rounding. */
  odd: { input: 500_000n, output: 500_000n },
  tiered: {
    input: 2_000_000_000n,
    cache_read: 200_000_000n,
    cache_write_5m: 2_500_000_000n,
    cache_write_1h: 4_000_000_000n,
    output: 12_000_000_000n,
    image: 1_300_000_000_000n,
    request: 500_000_000_000n,
  },
  /** Of `tiered`, where the prompt has more than 1,000 tokens. */
  tieredLong: {
    input: 4_000_000_000n,
    cache_read: 400_000_000n,
    cache_write_5m: 5_000_000_000n,
    cache_write_1h: 8_000_000_000n,
    output: 18_000_000_000n,
  },
  /** Of every model `web-…`: a cent for a search. */
  web: { input: 3_000_000_000n, output: 15_000_000_000n, search: 10_000_000_000_000n },
  /** Of every model `options-…`, at list price. */
  options: {
    input: 2_000_000_000n,
    cache_read: 200_000_000n,
    cache_write_5m: 2_500_000_000n,
    cache_write_1h: 4_000_000_000n,
    output: 12_000_000_000n,
  },
  /** Of these, at the tier `priority`. Flex is half, `fast` six times, the US 1.1 times the list price. */
  optionsPriority: {
    input: 5_000_000_000n,
    cache_read: 500_000_000n,
    cache_write_5m: 6_000_000_000n,
    cache_write_1h: 11_000_000_000n,
    output: 25_000_000_000n,
  },
  /** Of `web-chat`, whose provider searches for every request. */
  webChat: { input: 3_000_000_000n, output: 15_000_000_000n, request: 25_000_000_000_000n },
  /** Of every model `embed-…`. */
  embedding: { input: 130_000_000n },
} as const;

/** The simulated provider's name for each model, unlike the gateway's. */
export const UPSTREAM_NAME = 'sim-upstream-1';

/** Models for failing calls only, so that their leaving rotation affects nothing else. */
export const BREAKABLE_MODELS = Array.from({ length: 60 }, (_, index) => `breakable-${index + 1}`);

/** Models for calls that fail until they leave rotation. */
export const BROKEN_MODELS = Array.from({ length: 60 }, (_, index) => `broken-${index + 1}`);

/** Models with an idle timeout of IMPATIENCE_MS. */
export const IMPATIENT_MODELS = Array.from({ length: 60 }, (_, index) => `impatient-${index + 1}`);

/** Long enough for a response on a busy machine, and short enough to wait for. */
const IMPATIENCE_MS = 5_000;

/** The protocols of the providers of models `via-…`, and `open-…` with all kinds of input, after which they are named. */
export const UPSTREAM_PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;

/** Prefixes of models for one failing call each, at each kind of provider; see BREAKABLE_MODELS. */
export const FRAGILE = Array.from({ length: 20 }, (_, index) => `fragile-${index + 1}`);

/** Base path of the upstream with prepared responses. */
export const HOSTILE_PATH = '/secret-tenant/v1';

export interface CatalogueOptions {
  /** Origin of the simulated provider. */
  simulatorUrl: string;
  /** Origin of the upstream with prepared responses; without it, nothing listens there. */
  hostileUrl?: string;
  /** An origin where nothing listens. */
  deadUrl: string;
}

/** A catalogue as JSON, with a model for each thing a test needs. */
export function testCatalogue({ simulatorUrl, deadUrl, hostileUrl = deadUrl }: CatalogueOptions): string {
  const parameters = { reasoning_history: 'reasoning_content', extra_content: true };
  const simulated = { protocol: 'openai-chat', base_url: `${simulatorUrl}/v1`, simulated: true, parameters };
  const patience = { connect_ms: 2_000, first_byte_ms: 60_000, idle_ms: 60_000, total_ms: 600_000 };
  const impatience = { ...patience, first_byte_ms: IMPATIENCE_MS, idle_ms: IMPATIENCE_MS };
  return JSON.stringify({
    version: 1,
    providers: [
      { id: 'sim', ...simulated, auth: 'bearer', api_key: { env: 'TEST_PROVIDER_KEY' }, timeouts: patience },
      { id: 'patient', ...simulated, auth: 'none', timeouts: patience },
      { id: 'impatient', ...simulated, auth: 'none', timeouts: impatience },
      { id: 'dead', ...simulated, base_url: `${deadUrl}/v1`, auth: 'none', timeouts: patience },
      { id: 'unkeyed', ...simulated, auth: 'bearer', api_key: { env: 'TEST_UNSET_KEY' }, timeouts: patience },
      ...UPSTREAM_PROTOCOLS.map((protocol) => ({
        ...simulated,
        id: `sim-${protocol}`,
        protocol,
        base_url: `${simulatorUrl}/${protocol === 'gemini' ? 'v1beta' : 'v1'}`,
        auth: 'none',
        timeouts: patience,
      })),
      { ...simulated, id: 'sim-embeddings', auth: 'none', timeouts: patience },
      {
        ...simulated,
        id: 'sim-without-betas',
        protocol: 'anthropic-messages',
        auth: 'none',
        timeouts: patience,
        betas: { policy: 'strict' },
      },
      ...DIALECT_NAMES.map((dialect) => ({
        ...simulated,
        id: `as-${dialect}`,
        dialect,
        parameters: undefined,
        auth: 'none',
        timeouts: patience,
      })),
      ...UPSTREAM_PROTOCOLS.map((protocol) => ({
        id: `hostile-${protocol}`,
        protocol,
        base_url: `${hostileUrl}${HOSTILE_PATH}`,
        auth: 'bearer',
        api_key: { env: 'TEST_PROVIDER_KEY' },
        timeouts: patience,
      })),
    ],
    models: [
      model('small', { aliases: ['small-latest'], deployments: [{ provider: 'sim', model: UPSTREAM_NAME }] }),
      model('thinking', { price: { input: '2.50', cache_read: '0.25', output: '10', reasoning: '12' } }),
      model('odd', { description: 'For sums that do not divide.', price: { input: '0.0005', output: '0.0005' } }),
      model('tiered', {
        input: ['text', 'image'],
        max_tokens_per_image: 765,
        price: {
          input: '2',
          cache_read: '0.20',
          cache_write_5m: '2.50',
          cache_write_1h: '4',
          output: '12',
          image: '1300',
          request: '500',
          tiers: [
            {
              above_input_tokens: 1_000,
              input: '4',
              cache_read: '0.40',
              cache_write_5m: '5',
              cache_write_1h: '8',
              output: '18',
            },
          ],
        },
        deployments: [{ provider: 'sim-anthropic-messages' }],
      }),
      model('vision', { input: ['text', 'image'], max_tokens_per_image: 765 }),
      model('vendor/tricky:name', {}),
      model('switched-off', { enabled: false }),
      model('responses-only', { protocols: ['openai-responses'] }),
      model('chat-only', { protocols: ['openai-chat'] }),
      model('drained', { on_disconnect: 'drain' }),
      model('drained-responses', { on_disconnect: 'drain', deployments: [{ provider: 'sim-openai-responses' }] }),
      model('without-stops', { parameters: { ...parameters, unsupported: ['stop'] } }),
      model('fallback', {
        deployments: [
          { id: 'fallback-dead', provider: 'dead', priority: 0 },
          { id: 'fallback-alive', provider: 'sim', priority: 1 },
        ],
      }),
      model('unreachable', { deployments: [{ provider: 'dead' }] }),
      model('unkeyed', { deployments: [{ provider: 'unkeyed' }] }),
      ...UPSTREAM_PROTOCOLS.map((protocol) =>
        model(`via-${protocol}`, { deployments: [{ provider: `sim-${protocol}` }] }),
      ),
      ...UPSTREAM_PROTOCOLS.flatMap((protocol) =>
        FRAGILE.map((name) => model(`${name}-${protocol}`, { deployments: [{ provider: `sim-${protocol}` }] })),
      ),
      ...UPSTREAM_PROTOCOLS.map((protocol) =>
        model(`open-${protocol}`, {
          input: ['text', 'image', 'file'],
          max_tokens_per_image: 765,
          deployments: [{ provider: `sim-${protocol}` }],
        }),
      ),
      embeddingModel('embed-openai', {
        aliases: ['vendor/embed:small'],
        deployments: [{ provider: 'sim-openai-chat', model: UPSTREAM_NAME }],
      }),
      embeddingModel('embed-gemini', { deployments: [{ provider: 'sim-gemini', model: UPSTREAM_NAME }] }),
      embeddingModel('embed-only', { deployments: [{ provider: 'sim-embeddings', model: UPSTREAM_NAME }] }),
      embeddingModel('embed-fallback', {
        deployments: [
          { id: 'embed-dead', provider: 'dead', priority: 0 },
          { id: 'embed-alive', provider: 'sim-gemini', priority: 1 },
        ],
      }),
      ...UPSTREAM_PROTOCOLS.map((protocol) =>
        model(`hostile-${protocol}`, { deployments: [{ provider: `hostile-${protocol}` }] }),
      ),
      // Its provider has no search for tools.
      model('hostile-without-tool-search', {
        parameters: { tool_search: false },
        deployments: [{ provider: 'hostile-openai-responses' }],
      }),
      embeddingModel('hostile-embed-openai', { deployments: [{ provider: 'hostile-openai-chat' }] }),
      embeddingModel('hostile-embed-gemini', { deployments: [{ provider: 'hostile-gemini' }] }),
      ...[...BREAKABLE_MODELS, ...BROKEN_MODELS].map((id) => model(id, { deployments: [{ provider: 'patient' }] })),
      ...IMPATIENT_MODELS.map((id) => model(id, { deployments: [{ provider: 'impatient' }] })),
      ...STRICT_MODELS.map(({ id, protocol, rules, parameters: accepted }) =>
        model(id, {
          parameters: accepted,
          deployments: [{ provider: `sim-${protocol}`, model: `${UPSTREAM_NAME}+${rules}` }],
        }),
      ),
      ...DIALECT_NAMES.flatMap((dialect) => [
        model(`dialect-${dialect}`, {
          deployments: [{ provider: `as-${dialect}`, model: `${UPSTREAM_NAME}+as-${dialect}` }],
        }),
        ...DISTANCES.map((distance) =>
          model(`wrong-${dialect}-${distance}`, {
            deployments: [
              { provider: `as-${otherDialect(dialect, distance)}`, model: `${UPSTREAM_NAME}+as-${dialect}` },
            ],
          }),
        ),
      ]),
      // One model with two endpoints of its provider, the native one for clients of its protocol.
      model('native', {
        deployments: [
          { id: 'native-chat', provider: 'sim-openai-chat' },
          { id: 'native-messages', provider: 'sim-anthropic-messages', protocols: ['anthropic-messages'] },
        ],
      }),
      // Deployments that accept different things; the first is never reached.
      model('two-kinds', {
        deployments: [
          { id: 'two-kinds-dead', provider: 'dead', priority: 0, parameters: { sampling: 'default_only' } },
          { id: 'two-kinds-alive', provider: 'sim-openai-chat', priority: 1, parameters: { max_temperature: 1 } },
        ],
      }),
      model('without-betas', {
        deployments: [{ provider: 'sim-without-betas', model: `${UPSTREAM_NAME}+no-betas` }],
      }),
      // Their providers may search the web and fetch pages; the last one bills all searches of a request as one.
      ...UPSTREAM_PROTOCOLS.flatMap((protocol) => [
        model(`web-${protocol}`, { ...SEARCHING, deployments: [{ provider: `sim-${protocol}` }] }),
        model(`hostile-web-${protocol}`, { ...SEARCHING, deployments: [{ provider: `hostile-${protocol}` }] }),
      ]),
      // Has a price for cache writes of 12 hours.
      model('cached-for-hours', {
        price: { input: '2', cache_write_5m: '2.50', cache_write_12h: '4', output: '12' },
        deployments: [
          { id: 'cached-chat', provider: 'hostile-openai-chat' },
          { id: 'cached-responses', provider: 'hostile-openai-responses', protocols: ['openai-responses'] },
        ],
      }),
      model('web-once', {
        price: WEB_PRICE,
        web_tools: { max_searches: 3, max_tokens_per_use: 2_000, billed_per: 'request' },
        deployments: [{ provider: 'sim-gemini' }],
      }),
      // Options of a request have prices; one endpoint has a surcharge, and one accepts no betas.
      ...UPSTREAM_PROTOCOLS.map((protocol) =>
        model(`options-${protocol}`, { price: OPTIONS_PRICE, deployments: [{ provider: `sim-${protocol}` }] }),
      ),
      model('options-regional', {
        price: OPTIONS_PRICE,
        deployments: [{ provider: 'sim-openai-chat', price_multiplier: '1.1' }],
      }),
      model('options-without-betas', {
        price: OPTIONS_PRICE,
        deployments: [{ provider: 'sim-without-betas', model: `${UPSTREAM_NAME}+no-betas` }],
      }),
      // Searches for every request, like OpenAI's search models, which report no searches.
      model('web-chat', {
        price: { input: '3', output: '15', search: '0', request: '25000' },
        web_tools: { max_searches: 1, max_tokens_per_use: 2_000 },
        deployments: [{ provider: 'sim', model: `${UPSTREAM_NAME}+search` }],
      }),
      // Its provider may search without being asked to.
      model('web-own', {
        price: WEB_PRICE,
        web_tools: { max_own_searches: 2, max_tokens_per_use: 2_000 },
        deployments: [{ provider: 'sim' }],
      }),
      // A test changes its price.
      model('repriced', {}),
    ],
  });
}

const OPTIONS_PRICE = {
  input: '2',
  cache_read: '0.20',
  cache_write_5m: '2.50',
  cache_write_1h: '4',
  output: '12',
  options: {
    service_tier: {
      flex: { multiplier: '0.5' },
      priority: { input: '5', cache_read: '0.50', cache_write_5m: '6', cache_write_1h: '11', output: '25' },
    },
    speed: { fast: { multiplier: '6' } },
    inference_geo: { us: { multiplier: '1.1' } },
  },
};

const WEB_PRICE = { input: '3', output: '15', search: '10000', fetch: '0' };

const SEARCHING = {
  price: WEB_PRICE,
  web_tools: { max_searches: 3, max_fetches: 2, max_tokens_per_use: 2_000 },
};

function model(id: string, fields: object): object {
  return {
    id,
    owned_by: 'tests',
    created: '2025-01-01',
    context_window: 128_000,
    max_output_tokens: 16_384,
    tokens_per_message: 4,
    tokens_per_request: 3,
    price: { input: '0.15', cache_read: '0.075', output: '0.60' },
    deployments: [{ provider: 'sim' }],
    ...fields,
  };
}

function embeddingModel(id: string, fields: object): object {
  return {
    id,
    owned_by: 'tests',
    created: '2025-01-01',
    output: ['embedding'],
    context_window: 8_191,
    tokens_per_message: 4,
    tokens_per_request: 3,
    price: { input: '0.13' },
    ...fields,
  };
}
