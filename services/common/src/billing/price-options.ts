/** What a request can choose that changes the price of its tokens, by the names of the catalogue. */
export const OPTION_NAMES = ['service_tier', 'speed', 'inference_geo'] as const;

export type OptionName = (typeof OPTION_NAMES)[number];

/** Values of each option at list price, whoever reports them. No price can be given for them. */
const LIST_PRICE: Readonly<Record<OptionName, ReadonlySet<string>>> = {
  service_tier: new Set([
    'auto',
    'default',
    'standard',
    'standard_only',
    'unspecified',
    'on_demand',
    // Vertex AI: capacity that the operator has paid for.
    'provisioned_throughput',
  ]),
  speed: new Set(['standard']),
  inference_geo: new Set(['global', 'not_available']),
};

/** Whether a value of an option costs the list price. */
export function isListPrice(name: OptionName, value: string): boolean {
  return LIST_PRICE[name].has(value);
}

/** Other names of values, by which nobody reports them: OpenAI's `fast` is its tier `priority`. No price can be given for them. */
const OTHER_NAMES: Readonly<Record<OptionName, ReadonlyMap<string, string>>> = {
  service_tier: new Map([['fast', 'priority']]),
  speed: new Map(),
  inference_geo: new Map(),
};

/** The value that another name stands for; undefined for a value of its own. */
export function valueNamed(name: OptionName, otherName: string): string | undefined {
  return OTHER_NAMES[name].get(otherName);
}
