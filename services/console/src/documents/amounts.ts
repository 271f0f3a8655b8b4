const DECIMALS = 9;
/** Decimals of what people pay. */
const CENTS = 2;

/** An amount of dollars in two parts, so that decimals beyond cents can stand back. */
export interface AmountText {
  /** Such as `−$1,204.56`. */
  main: string;
  /** The decimals beyond cents. */
  rest: string;
}

/** How many decimals the most exact of some amounts needs. With as many, all of them are exact, and stand in line. */
export function decimalsOf(amounts: Iterable<bigint>): number {
  let decimals = CENTS;
  for (const amount of amounts) {
    const fraction = fractionOf(amount).replace(/0+$/, '');
    decimals = Math.max(decimals, fraction.length);
  }
  return decimals;
}

/** Nano-dollars as text with a number of decimals; the others must be zeros. */
export function amountText(nanos: bigint, decimals: number): AmountText {
  const whole = (magnitude(nanos) / 10n ** BigInt(DECIMALS)).toString().replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = fractionOf(nanos);
  return {
    main: `${nanos < 0n ? '−' : ''}$${whole}.${fraction.slice(0, CENTS)}`,
    rest: fraction.slice(CENTS, decimals),
  };
}

/** Nano-dollars as text with all their decimals. */
export function exactText(nanos: bigint): string {
  const { main, rest } = amountText(nanos, decimalsOf([nanos]));
  return main + rest;
}

function fractionOf(nanos: bigint): string {
  return (magnitude(nanos) % 10n ** BigInt(DECIMALS)).toString().padStart(DECIMALS, '0');
}

function magnitude(nanos: bigint): bigint {
  return nanos < 0n ? -nanos : nanos;
}
