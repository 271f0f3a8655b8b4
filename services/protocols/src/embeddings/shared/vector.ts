/** An embedding. */
export type Vector = readonly number[];

const FLOAT_BYTES = 4;

/** Encodes a vector in OpenAI's `base64` format: little-endian 32-bit floats. */
export function encodeBase64(vector: Vector): string {
  const bytes = Buffer.allocUnsafe(vector.length * FLOAT_BYTES);
  for (let at = 0; at < vector.length; at++) bytes.writeFloatLE(vector[at] ?? 0, at * FLOAT_BYTES);
  return bytes.toString('base64');
}

/** Decodes such a vector; undefined if the text is invalid. */
export function decodeBase64(text: string): Vector | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Buffer skips characters other than base64, so the length shows whether there were any.
  const isComplete = bytes.length === Math.floor((withoutPadding(text) * 3) / 4);
  if (!isComplete || bytes.length === 0 || bytes.length % FLOAT_BYTES !== 0) return undefined;
  const vector: number[] = [];
  for (let at = 0; at < bytes.length; at += FLOAT_BYTES) {
    const value = bytes.readFloatLE(at);
    if (!Number.isFinite(value)) return undefined;
    vector.push(value);
  }
  return vector;
}

/** Characters before the padding. */
function withoutPadding(text: string): number {
  let length = text.length;
  while (length > 0 && text[length - 1] === '=') length--;
  return length;
}

/** Decodes a vector of a response in either of OpenAI's formats; undefined if it is invalid. */
export function decodeVector(value: unknown): Vector | undefined {
  if (typeof value === 'string') return decodeBase64(value);
  return isVector(value) ? value : undefined;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((element) => typeof element === 'number');
}
