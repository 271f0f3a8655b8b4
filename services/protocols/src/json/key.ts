const BACKSLASH = 0x5c;
const MAX_ASCII = 0x7f;

/** The key with quotes at `start` and `end - 1`. */
export function decodeKey(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
}

/** Whether the key with quotes at `start` and `end - 1` is that one. Compares bytes, since most keys are plain ASCII. */
export function isKey(bytes: Buffer, start: number, end: number, key: string): boolean {
  for (let i = 0; i < key.length; i++) {
    const byte = bytes[start + 1 + i];
    const code = key.charCodeAt(i);
    if (byte === BACKSLASH || code > MAX_ASCII) return decodeKey(bytes, start, end) === key;
    if (byte !== code) return false;
  }
  return end - start - 2 === key.length;
}
