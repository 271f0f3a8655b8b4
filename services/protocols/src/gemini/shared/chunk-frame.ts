const DATA = Buffer.from('data: ');
const BLANK_LINE = Buffer.from('\n\n');
const OPENING = Buffer.from('[');
const COMMA = Buffer.from('\n,\r\n');
const CLOSING = Buffer.from('\n]');
const EMPTY_ARRAY = Buffer.from('[]');
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const EMPTY = Buffer.alloc(0);

/** How the chunks of a stream are written: as events, or as elements of one JSON array. */
export interface ChunkFrame {
  /** @param pieces of one chunk's text */
  chunk(pieces: readonly Buffer[]): Buffer;
  /** @param json one chunk, without line breaks */
  text(json: string): Buffer;
  /** What closes the stream. */
  end(): Buffer;
}

/** `data:` lines. Google's clients accept nothing else. JSON texts have no carriage returns, which would separate lines of an event. */
export const EVENT_FRAME: ChunkFrame = {
  chunk: (pieces) => {
    const bytes = Buffer.concat([DATA, ...pieces, BLANK_LINE]);
    // JSON has line breaks only between tokens, where a space is equivalent.
    const end = bytes.length - BLANK_LINE.length;
    for (let at = bytes.indexOf(LINE_FEED); at < end; at = bytes.indexOf(LINE_FEED, at)) bytes[at] = SPACE;
    return bytes;
  },
  text: (json) => Buffer.from(`data: ${json}\n\n`),
  end: () => EMPTY,
};

/** One JSON array, which remembers whether it has begun. */
export class ArrayFrame implements ChunkFrame {
  #hasBegun = false;

  chunk(pieces: readonly Buffer[]): Buffer {
    const before = this.#hasBegun ? COMMA : OPENING;
    this.#hasBegun = true;
    return Buffer.concat([before, ...pieces]);
  }

  text(json: string): Buffer {
    return this.chunk([Buffer.from(json)]);
  }

  end(): Buffer {
    return this.#hasBegun ? CLOSING : EMPTY_ARRAY;
  }
}
