/** What decided the rates of a charge. */
export interface AppliedPrice {
  version: string;
  /** Of the tier for longer prompts that applied; 0 in the lowest. */
  aboveInputTokens: number;
  /** Options that applied, such as `service_tier`, and the `price_multiplier` of the deployment. */
  options: Readonly<Record<string, string>>;
}

/** Separates the parts of the text. Versions have none. */
const MARK = '#';
const TIER = /^over-([1-9]\d*)$/;
const OPTION = /^([a-z_]+)=([a-z0-9][a-z0-9_.-]*)$/;

/**
 * Names a price version, its tier and its options: `<version>`, then `#over-<tokens>` in a tier for longer prompts, then
 * `#<option>=<value>` for each option.
 */
export function formatPriceVersion(
  version: string,
  aboveInputTokens: bigint,
  options: Readonly<Record<string, string>> = {},
): string {
  const tier = aboveInputTokens === 0n ? [] : [`over-${aboveInputTokens}`];
  return [version, ...tier, ...Object.entries(options).map((option) => option.join('='))].join(MARK);
}

/** Reads what `formatPriceVersion` wrote; any other text is a version. */
export function parsePriceVersion(text: string): AppliedPrice {
  const [version = '', ...parts] = text.split(MARK);
  let aboveInputTokens = 0;
  const options: Record<string, string> = {};
  for (const part of parts) {
    const tokens = Number(TIER.exec(part)?.[1]);
    const [, name, value] = OPTION.exec(part) ?? [];
    if (Number.isSafeInteger(tokens)) aboveInputTokens = tokens;
    else if (name !== undefined && value !== undefined) options[name] = value;
    else return { version: text, aboveInputTokens: 0, options: {} };
  }
  return { version, aboveInputTokens, options };
}
