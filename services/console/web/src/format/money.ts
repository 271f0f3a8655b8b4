/** Amounts are decimal strings with at most 9 decimals. They are never converted to floating-point numbers. */

const DECIMALS = 9;

/** Nano-dollars. Throws if the text is not an amount. */
export function parseMoney(amount: string): bigint {
  const match = /^(-?)(\d{1,18})(?:\.(\d{1,9}))?$/.exec(amount);
  if (match === null) throw new Error(`not an amount: ${JSON.stringify(amount)}`);
  const [, sign, whole = '0', fraction = ''] = match;
  const nanos = BigInt(whole) * 10n ** BigInt(DECIMALS) + BigInt(fraction.padEnd(DECIMALS, '0'));
  return sign === '-' ? -nanos : nanos;
}

/** Nano-dollars as the API sends and takes them: at least two decimals. */
export function toMoney(nanos: bigint): string {
  const [whole, fraction] = split(nanos < 0n ? -nanos : nanos);
  const trimmed = fraction.replace(/0+$/, '').padEnd(2, '0');
  return `${nanos < 0n ? '-' : ''}${whole}.${trimmed}`;
}

/** All digits: `$0.000412500`. */
export function exactMoney(amount: string): string {
  return withSign(parseMoney(amount), DECIMALS);
}

/** From here on cents are enough, so that a column for small amounts has room for large ones. */
const LARGE_NANOS = 1_000n * 10n ** BigInt(DECIMALS);

/** For lists: `$84.12`. Amounts that round to nothing are `<$0.01`, never `$0.00`. */
export function shortMoney(amount: string, smallDecimals = 2): string {
  const nanos = parseMoney(amount);
  const magnitude = nanos < 0n ? -nanos : nanos;
  const decimals = magnitude < LARGE_NANOS ? smallDecimals : Math.min(2, smallDecimals);
  const unit = 10n ** BigInt(DECIMALS - decimals);
  const rounded = ((magnitude + unit / 2n) / unit) * unit;
  if (magnitude !== 0n && rounded === 0n) {
    return `${nanos < 0n ? '−' : ''}<$${decimals === 0 ? '1' : `0.${'1'.padStart(decimals, '0')}`}`;
  }
  return withSign(nanos < 0n ? -rounded : rounded, decimals);
}

/** Decimals of the short form in a list: more than 2 where even its largest amount is small, so that its rows differ. */
export function listDecimals(amounts: readonly string[]): number {
  const largest = amounts.reduce((most, amount) => {
    const nanos = parseMoney(amount);
    const magnitude = nanos < 0n ? -nanos : nanos;
    return magnitude > most ? magnitude : most;
  }, 0n);
  if (largest === 0n || largest >= 10n ** BigInt(DECIMALS)) return 2;
  return largest >= 10n ** BigInt(DECIMALS - 2) ? 4 : 6;
}

export function addMoney(...amounts: string[]): string {
  return toMoney(amounts.reduce((sum, amount) => sum + parseMoney(amount), 0n));
}

/** For sorting. */
export function compareMoney(left: string, right: string): number {
  const difference = parseMoney(left) - parseMoney(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** For drawing bars and charts only: a share between 0 and 1. */
export function shareOf(part: string, whole: string): number {
  const total = parseMoney(whole);
  if (total <= 0n) return 0;
  const share = Number((parseMoney(part) * 1_000_000n) / total) / 1_000_000;
  return Math.min(1, Math.max(0, share));
}

/** For drawing only. */
export function approximateDollars(amount: string): number {
  return Number(amount);
}

function split(magnitude: bigint): [whole: string, fraction: string] {
  const digits = magnitude.toString().padStart(DECIMALS + 1, '0');
  return [digits.slice(0, -DECIMALS), digits.slice(-DECIMALS)];
}

function withSign(nanos: bigint, decimals: number): string {
  const [whole, fraction] = split(nanos < 0n ? -nanos : nanos);
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${nanos < 0n ? '−' : ''}$${grouped}${decimals === 0 ? '' : `.${fraction.slice(0, decimals)}`}`;
}
