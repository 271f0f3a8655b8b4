import type { CacheWriteBucket } from './usage.ts';

/** What a request can choose that changes the price of its tokens. Names are those of the catalogue. */
export const OPTION_NAMES = ['service_tier', 'speed', 'inference_geo'] as const;

export type OptionName = (typeof OPTION_NAMES)[number];

/** A value for some options: as requested, as reported, or as billed. */
export type PriceOptions = Readonly<Partial<Record<OptionName, string>>>;

/** An option that a request chooses, which is refused unless the model's price has it. */
export interface RequestedOption {
  readonly name: OptionName;
  /** In the catalogue's form: lower case. */
  readonly value: string;
  /** The client's name of the field. */
  readonly path: string;
  /** The provider chooses, among all values that have a price. It is accepted whatever has one. */
  readonly isOpen: boolean;
  /** The values that the protocol has at list price, for the message of a refusal. */
  readonly listed: readonly string[];
}

/** A lifetime of cache writes that a request asks for, which is refused unless the model's price has a rate for it. */
export interface RequestedCacheWrite {
  readonly bucket: CacheWriteBucket;
  /** The client's name of the field. */
  readonly path: string;
}

/** The values of a field at list price; those in `open` leave the choice to the provider. */
export interface OptionRule {
  readonly listed: readonly string[];
  readonly open: readonly string[];
}

/**
 * The option that a field chooses; undefined if it costs the list price.
 *
 * @param path the client's name of the field
 */
export function requestedOption(
  name: OptionName,
  path: string,
  value: string | null | undefined,
  { listed, open }: OptionRule,
): RequestedOption | undefined {
  if (value === undefined || value === null) return undefined;
  const isOpen = open.includes(value);
  if (listed.includes(value) && !isOpen) return undefined;
  return { name, value, path, isOpen, listed };
}
