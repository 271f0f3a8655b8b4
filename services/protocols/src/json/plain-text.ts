const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/** 1 for each byte that stands for itself in a string. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte !== QUOTE && byte !== BACKSLASH && byte >= FIRST_PRINTABLE ? 1 : 0,
);

/** Up to here a string is read byte by byte. A view of words on the same memory costs more than it saves for small bodies. */
const LONG_BYTES = 2_048;

/** Finds the ends of the plain pieces of strings in a text. */
export class PlainText {
  readonly #bytes: Buffer;
  #words: DataView | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The offset of the next quote, backslash or control character; the text's length if there is none. */
  end(from: number): number {
    const bytes = this.#bytes;
    const longFrom = Math.min(bytes.length, from + LONG_BYTES);
    let at = from;
    while (at < longFrom && PLAIN[bytes[at] ?? 0] === 1) at++;
    if (at < longFrom) return at;
    at = this.#skipWords(at);
    while (at < bytes.length && PLAIN[bytes[at] ?? 0] === 1) at++;
    return at;
  }

  /** Skips plain text four bytes at a time, which is more than twice as fast. */
  #skipWords(from: number): number {
    const bytes = this.#bytes;
    this.#words ??= new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const words = this.#words;
    const last = bytes.length - 4;
    let at = from;
    while (at <= last && isPlainWord(words.getInt32(at))) at += 4;
    return at;
  }
}

const EACH = 0x01010101;
const HIGH_BITS = 0x80808080;

/** Whether all four bytes are plain: a borrow sets the high bit of a byte that is smaller than what is subtracted from it. */
function isPlainWord(word: number): boolean {
  const quotes = word ^ (EACH * QUOTE);
  const backslashes = word ^ (EACH * BACKSLASH);
  const found =
    ((word - EACH * FIRST_PRINTABLE) & ~word) | ((quotes - EACH) & ~quotes) | ((backslashes - EACH) & ~backslashes);
  return (found & HIGH_BITS) === 0;
}
