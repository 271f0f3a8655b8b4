import { RATES } from '../gateway/catalogue.ts';
import { lineNanos } from '../gateway/money.ts';

/** Called models: one at each kind of provider, and others whose prices need rounding. */
export const MODELS = [
  'small',
  'thinking',
  'odd',
  'via-openai-responses',
  'via-anthropic-messages',
  'via-gemini',
] as const;
export type Model = (typeof MODELS)[number];

/** The simulated provider's overhead: per message, and per request. */
const TOKENS_BESIDE_TEXT = 7;

/** Tokens as the client counts them. */
export interface Counted {
  /** Tokens of the prompt, including cached ones. */
  input: number;
  cached: number;
  output: number;
}

/** The tokens of a prompt of one message. */
export function inputTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4) + TOKENS_BESIDE_TEXT;
}

/** The tokens of a response: the simulated provider sends one word per token. */
export function outputTokens(response: string): number {
  return response.match(/\S+/g)?.length ?? 0;
}

/** The cost of the tokens, in nano-dollars. */
export function costOf(model: Model, { input, cached, output }: Counted): bigint {
  const rates = ratesOf(model);
  return lineNanos(input - cached, rates.input) + lineNanos(cached, rates.cached) + lineNanos(output, rates.output);
}

/** The maximum cost of a request with this many bytes and this output limit, in nano-dollars. */
export function mostOf(model: Model, bytes: number, maxTokens: number): bigint {
  const rates = ratesOf(model);
  return (BigInt(bytes) * rates.input + BigInt(maxTokens) * rates.output) / 1_000_000n + 2n;
}

function ratesOf(model: Model): { input: bigint; cached: bigint; output: bigint } {
  switch (model) {
    case 'thinking':
      return { ...RATES.thinking, cached: RATES.thinking.cache_read };
    case 'odd':
      return { ...RATES.odd, cached: RATES.odd.input };
    case 'small':
    case 'via-openai-responses':
    case 'via-anthropic-messages':
    case 'via-gemini':
      return { ...RATES.small, cached: RATES.small.cache_read };
    default:
      return model satisfies never;
  }
}
