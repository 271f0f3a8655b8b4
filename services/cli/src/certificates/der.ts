// The ASN.1 values that certificates consist of, written in DER. Reading only finds where values begin and end. By hand
// because Node cannot write DER, and libraries for certificates bring their own cryptography.

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** First year that is not written as UTCTime (RFC 5280, 4.1.2.5). */
const FIRST_GENERALIZED_YEAR = 2050;

function value(tag: number, contents: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(contents.length), contents]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  const significant = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.from([0x80 | significant.length]), significant]);
}

export const sequence = (...parts: Uint8Array[]) => value(TAG.sequence, Buffer.concat(parts));
export const set = (...parts: Uint8Array[]) => value(TAG.set, Buffer.concat(parts));
export const octetString = (contents: Uint8Array) => value(TAG.octetString, contents);
export const utf8String = (text: string) => value(TAG.utf8String, Buffer.from(text));
export const derNull = () => value(TAG.null, Buffer.alloc(0));
export const derTrue = () => value(TAG.boolean, Buffer.from([0xff]));

/** A non-negative integer, from its bytes in big-endian order. */
export function unsignedInteger(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const significant = first < 0 ? Buffer.alloc(1) : bytes.subarray(first);
  const isNegative = ((significant[0] ?? 0) & 0x80) !== 0;
  return value(TAG.integer, isNegative ? Buffer.concat([Buffer.alloc(1), significant]) : significant);
}

export const bitString = (contents: Uint8Array, unusedBits = 0) =>
  value(TAG.bitString, Buffer.concat([Buffer.from([unusedBits]), contents]));

/** `[number]` around values (EXPLICIT), or instead of the tag of a primitive one (IMPLICIT). */
export const explicit = (number: number, ...parts: Uint8Array[]) => value(0xa0 | number, Buffer.concat(parts));
export const implicit = (number: number, contents: Uint8Array) => value(0x80 | number, contents);

/** @param text such as `1.2.840.10045.2.1` */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  return value(TAG.objectIdentifier, Buffer.from([first * 40 + second, ...others.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
    digits.unshift(0x80 | (rest % 128));
  return digits;
}

/** A time to the second. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\..*/g, '');
  if (date.getUTCFullYear() < FIRST_GENERALIZED_YEAR) return value(TAG.utcTime, Buffer.from(`${digits.slice(2)}Z`));
  return value(TAG.generalizedTime, Buffer.from(`${digits}Z`));
}

/** The values in a constructed one, each with its tag and length. */
export function partsOf(constructed: Uint8Array): Buffer[] {
  const { start, end } = boundsOf(constructed, 0);
  const parts: Buffer[] = [];
  for (let at = start; at < end; ) {
    const part = boundsOf(constructed, at);
    parts.push(Buffer.from(constructed.subarray(at, part.end)));
    at = part.end;
  }
  return parts;
}

/** Where the contents of the value at an offset begin and end. */
function boundsOf(bytes: Uint8Array, offset: number): { start: number; end: number } {
  const short = bytes[offset + 1] ?? 0;
  const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
  const start = offset + 2 + lengthBytes;
  const long = bytes.subarray(offset + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  const end = start + (lengthBytes === 0 ? short : long);
  if (end > bytes.length) throw new Error('the value is truncated');
  return { start, end };
}
