const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = 62;
/** The largest multiple of 62 that a byte can reach; bytes from there on are thrown away, so that no digit is likelier. */
const FAIR_BYTES = 248;

/** Whether a UTF-16 code unit is one of the 62 digits. */
export function isBase62(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

/** A whole number below 62^width in base62, filled up with zeros on the left. */
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
 * Random base62 digits, each as likely as any other.
 *
 * @param random a source of random bytes fit for secrets
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
