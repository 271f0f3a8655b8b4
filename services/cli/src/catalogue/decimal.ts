/** Most decimals of a rate in a catalogue. */
const MAX_DECIMALS = 9;

const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * Multiplies a decimal text by a power of ten, exactly. Digits beyond nine decimals, which a source computed with
 * floating-point numbers, are rounded.
 *
 * @returns undefined if the text is no decimal number that is 0 or more
 */
export function shiftDecimal(text: string, places: number): string | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent) - places;
  return format(roundedTo(BigInt(whole + fraction), scale));
}

/** The coefficient of a number with nine decimals, from one with `scale` decimals. */
function roundedTo(coefficient: bigint, scale: number): bigint {
  if (scale <= MAX_DECIMALS) return coefficient * 10n ** BigInt(MAX_DECIMALS - scale);
  const divisor = 10n ** BigInt(scale - MAX_DECIMALS);
  return (coefficient + divisor / 2n) / divisor;
}

function format(nanos: bigint): string {
  const digits = nanos.toString().padStart(MAX_DECIMALS + 1, '0');
  const fraction = digits.slice(-MAX_DECIMALS).replace(/0+$/, '');
  const whole = digits.slice(0, -MAX_DECIMALS);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
