/** What a bill may say of a model on a day. Input includes what was read from a cache or written to it; output includes reasoning. */
export const QUANTITIES = ['inputTokens', 'cacheReadTokens', 'outputTokens', 'costNanos'] as const;

export type Quantity = (typeof QUANTITIES)[number];

/** Tokens, and nano-dollars. Absent: not known. */
export type Quantities = Partial<Record<Quantity, bigint>>;

/** What a provider billed, or what was metered, for one of its models on a day. */
export interface ModelDay {
  /** A day of UTC, such as `2026-11-30`. */
  day: string;
  /** The provider's name of the model. */
  model: string;
  quantities: Quantities;
}

/** The content of a provider's export. */
export interface Bill {
  /** What kind of export it is, such as `OpenAI usage`. */
  format: string;
  /** The quantities that it has for every model. */
  quantities: readonly Quantity[];
  /** All days that it covers, in order; without usage too. */
  days: string[];
  /** At most one for a day and model. */
  lines: ModelDay[];
}

/** The sums of two sets of quantities, of those that one of them has. */
export function addQuantities(a: Quantities, b: Quantities): Quantities {
  const sums: Quantities = { ...a };
  for (const quantity of QUANTITIES) {
    const added = b[quantity];
    if (added !== undefined) sums[quantity] = (sums[quantity] ?? 0n) + added;
  }
  return sums;
}
