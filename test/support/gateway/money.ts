/** Parses the billing endpoints' dollars to nano-dollars. Throws unless it is a plain decimal. */
export function nanos(dollars: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(dollars);
  if (match === null) throw new Error(`not an exact amount: ${dollars}`);
  const [, sign = '', integer = '', fraction = ''] = match;
  const amount = BigInt(integer) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
  return sign === '-' ? -amount : amount;
}

/** Nano-dollars as exact dollars. */
export function dollars(amount: bigint): string {
  const digits = amount.toString().padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '');
}

/** The cost of a quantity at a rate in nano-dollars per million, rounded half to even. */
export function lineNanos(quantity: number, ratePerMillion: bigint): bigint {
  const exact = BigInt(quantity) * ratePerMillion;
  const floor = exact / 1_000_000n;
  const rest = exact % 1_000_000n;
  const up = rest > 500_000n || (rest === 500_000n && floor % 2n === 1n);
  return up ? floor + 1n : floor;
}
