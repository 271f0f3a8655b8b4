const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = 62;
/** The largest multiple of 62 below 256; greater bytes are discarded, so that all digits are equally likely. */
const FAIR_BYTES = 248;

/** The value of each digit by its character code; 255 for other characters. */
const VALUES = new Uint8Array(128).fill(255);
for (let value = 0; value < BASE; value++) VALUES[DIGITS.charCodeAt(value)] = value;

/** The value of a digit, given as a UTF-16 code unit; -1 for other characters. */
export function base62Value(code: number): number {
  const value = VALUES[code] ?? 255;
  return value === 255 ? -1 : value;
}

/** Whether a part of a text has base62 digits only. By hand because base-x decodes entire texts to bytes. */
export function isBase62(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (base62Value(text.charCodeAt(at)) < 0) return false;
  }
  return true;
}

/** The number in a part of a text that has base62 digits only. */
export function fromBase62(text: string, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * BASE + base62Value(text.charCodeAt(at));
  return value;
}

/** An integer below 62^width in base62, padded with zeros on the left. */
export function toBase62(value: number, width: number): string {
  let text = '';
  let rest = value;
  for (let place = 0; place < width; place++) {
    text = DIGITS.charAt(rest % BASE) + text;
    rest = Math.floor(rest / BASE);
  }
  return text;
}

/**
 * Random base62 digits, all equally likely.
 *
 * @param random a cryptographic source of random bytes
 */
export function randomBase62(length: number, random: (size: number) => Buffer): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < FAIR_BYTES && text.length < length) text += DIGITS.charAt(byte % BASE);
    }
  }
  return text;
}
