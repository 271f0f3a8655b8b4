import { PROTOCOL_NAMES, type ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { CREDENTIAL_CANARY } from './canaries.ts';

/**
 * Concurrent requests. Each slot has its own models, one per kind of upstream, so that the upstream knows from the
 * model's name which case a call belongs to.
 */
export const SLOTS = 48;
/** The slot whose account can pay for few requests. */
export const POOR_SLOT = 5;
export const UPSTREAMS: readonly ProtocolName[] = PROTOCOL_NAMES;
/** Kinds of upstream with embeddings. */
export const EMBEDDING_UPSTREAMS = ['openai-chat', 'gemini'] as const;

/** More than any request of the corpus sets. */
export const MAX_OUTPUT_TOKENS = 100_000;
export const CONTEXT_WINDOW = 200_000;
/** The gateway's idle and first-byte timeouts for the upstream. */
export const PATIENCE_MS = 5_000;

/** Nano-dollars per million tokens or items; docs/reference/pricing.md defines the rates of absent ones. */
export interface Rates {
  readonly input: bigint;
  readonly cache_read?: bigint;
  readonly cache_write_5m?: bigint;
  readonly cache_write_1h?: bigint;
  readonly output: bigint;
  readonly reasoning?: bigint;
}

export interface Price extends Rates {
  readonly image?: bigint;
  readonly search?: bigint;
  readonly request?: bigint;
  /** For longer prompts. */
  readonly tier?: Rates & { readonly above: bigint };
}

const DOLLAR = 1_000_000_000n;

/** Prices of the models, by slot. */
const PRICES: readonly Price[] = [
  { input: 150_000_000n, cache_read: 75_000_000n, output: 600_000_000n },
  {
    input: 2_500_000_000n,
    cache_read: 250_000_000n,
    cache_write_5m: 3_125_000_000n,
    cache_write_1h: 5n * DOLLAR,
    output: 10n * DOLLAR,
    reasoning: 12n * DOLLAR,
  },
  { input: 500_000n, output: 500_000n },
  {
    input: 2n * DOLLAR,
    cache_read: 200_000_000n,
    output: 12n * DOLLAR,
    image: 1_300n * DOLLAR,
    search: 10_000n * DOLLAR,
    request: 500n * DOLLAR,
    tier: { above: 300n, input: 4n * DOLLAR, cache_read: 400_000_000n, output: 18n * DOLLAR },
  },
];
const EMBEDDING_PRICE: Price = { input: 130_000_000n, output: 0n };

const PROVIDER_AUTH = {
  'openai-chat': 'bearer',
  'openai-responses': 'bearer',
  'anthropic-messages': 'x-api-key',
  gemini: 'x-goog-api-key',
} as const;

/** The slot of a case. */
export function slotOf(number: number): number {
  return number % SLOTS;
}

export function modelOf(slot: number, upstream: ProtocolName): string {
  return `s${slot}-${upstream}`;
}

export function embeddingModelOf(slot: number, upstream: (typeof EMBEDDING_UPSTREAMS)[number]): string {
  return `e${slot}-${upstream}`;
}

/** The upstream's name for all models of a slot. */
export function upstreamModelOf(slot: number): string {
  return `up-${slot}`;
}

/** The slot of an upstream's model name. */
export function slotOfUpstreamModel(name: string): number | undefined {
  const match = /^up-(\d+)$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** The price of a model, by its public name. */
export function priceOf(model: string): Price {
  const match = /^([se])(\d+)-/.exec(model);
  const price = match?.[1] === 'e' ? EMBEDDING_PRICE : PRICES[Number(match?.[2]) % PRICES.length];
  if (match === null || price === undefined) throw new Error(`unknown model ${model}`);
  return price;
}

/** The gateway's credential at each kind of upstream, by its variable. */
export function credentials(): Record<string, string> {
  return Object.fromEntries(UPSTREAMS.map((name) => [variableOf(name), `${CREDENTIAL_CANARY}-${name}`]));
}

function variableOf(upstream: ProtocolName): string {
  return `FUZZ_${upstream.toUpperCase().replaceAll('-', '_')}_KEY`;
}

/** The catalogue as JSON. */
export function fuzzCatalogue(upstreamUrl: string): string {
  const timeouts = { connect_ms: 5_000, first_byte_ms: PATIENCE_MS, idle_ms: PATIENCE_MS, total_ms: 4 * PATIENCE_MS };
  const providers = UPSTREAMS.map((protocol) => ({
    id: `hostile-${protocol}`,
    protocol,
    base_url: `${upstreamUrl}/${protocol}`,
    auth: PROVIDER_AUTH[protocol],
    api_key: { env: variableOf(protocol) },
    simulated: true,
    timeouts,
  }));
  const slots = Array.from({ length: SLOTS }, (_, slot) => slot);
  return JSON.stringify({
    version: 1,
    providers,
    models: slots.flatMap((slot) => [
      ...UPSTREAMS.map((upstream) => generationModel(slot, upstream)),
      ...EMBEDDING_UPSTREAMS.map((upstream) => ({
        id: embeddingModelOf(slot, upstream),
        output: ['embedding'],
        context_window: 8_191,
        price: { input: dollars(EMBEDDING_PRICE.input) },
        deployments: [{ provider: `hostile-${upstream}`, model: upstreamModelOf(slot) }],
      })),
    ]),
  });
}

function generationModel(slot: number, upstream: ProtocolName): object {
  const id = modelOf(slot, upstream);
  const { tier, ...rates } = priceOf(id);
  const named = (all: object) =>
    Object.fromEntries(Object.entries(all).map(([name, rate]: [string, bigint]) => [name, dollars(rate)]));
  const tiers =
    tier === undefined
      ? {}
      : { tiers: [{ ...named({ ...tier, above: 0n }), above: undefined, above_input_tokens: Number(tier.above) }] };
  return {
    id,
    input: ['text', 'image', 'audio', 'file'],
    context_window: CONTEXT_WINDOW,
    max_output_tokens: MAX_OUTPUT_TOKENS,
    max_tokens_per_image: 765,
    price: { ...named(rates), ...tiers },
    on_disconnect: slot % 2 === 0 ? 'abort' : 'drain',
    deployments: [{ provider: `hostile-${upstream}`, model: upstreamModelOf(slot) }],
  };
}

/** A rate in the catalogue's notation. */
function dollars(nanos: bigint): string {
  return `${nanos / DOLLAR}.${(nanos % DOLLAR).toString().padStart(9, '0')}`;
}
