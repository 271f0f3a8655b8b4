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

const DOLLAR = 10n ** BigInt(DECIMALS);

/**
 * Everywhere but on bills: two decimals from a dollar, four below. What is too small for them is `<$0.0001`, never nothing.
 *
 * @param beside amounts that it is compared with: it has all digits where rounding would hide how it differs
 */
export function shortMoney(amount: string, beside: readonly string[] = []): string {
  const short = roundedMoney(parseMoney(amount));
  const isUnclear = beside.length > 0 && (short.includes('<') || beside.some((other) => readsAlike(amount, other)));
  return isUnclear ? exactMoney(amount) : short;
}

/** Amounts that people pay: `$50`, `$12.50`. */
export function paidMoney(amount: string): string {
  return /\.0*[1-9]/.test(amount) ? shortMoney(amount) : withSign(parseMoney(amount), 0);
}

function readsAlike(amount: string, other: string): boolean {
  const [nanos, otherNanos] = [parseMoney(amount), parseMoney(other)];
  return nanos !== otherNanos && roundedMoney(nanos) === roundedMoney(otherNanos);
}

function roundedMoney(nanos: bigint): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  if (magnitude === 0n) return '$0.00';
  const decimals = magnitude < DOLLAR ? 4 : 2;
  const unit = 10n ** BigInt(DECIMALS - decimals);
  const rounded = ((magnitude + unit / 2n) / unit) * unit;
  if (rounded === 0n) return `${nanos < 0n ? '−' : ''}<$0.0001`;
  return withSign(nanos < 0n ? -rounded : rounded, rounded < DOLLAR ? 4 : 2);
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
