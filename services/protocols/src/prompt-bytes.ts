/**
 * Bytes of a value when it is written into a prompt. A structure can be written with line breaks and indents, each of
 * which is a token or two, so every key and element counts a few bytes more than in the most compact form.
 */
export function promptBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) {
    let bytes = 4;
    for (const element of value) bytes += promptBytes(element) + 4;
    return bytes;
  }
  if (typeof value === 'object' && value !== null) {
    let bytes = 4;
    for (const [key, inner] of Object.entries(value)) bytes += Buffer.byteLength(key) + promptBytes(inner) + 8;
    return bytes;
  }
  return value === undefined ? 0 : String(value).length;
}
