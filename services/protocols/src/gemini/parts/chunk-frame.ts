const DATA = Buffer.from('data: ');
const BLANK_LINE = Buffer.from('\n\n');
const OPENING = Buffer.from('[');
const COMMA = Buffer.from('\n,\r\n');
const CLOSING = Buffer.from('\n]');
const EMPTY_ARRAY = Buffer.from('[]');
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const EMPTY = Buffer.alloc(0);

/** How the chunks of a stream are written: as events, or as elements of one JSON array. */
export interface ChunkFrame {
  /** @param json one chunk */
  chunk(json: Buffer): Buffer;
  /** @param json one chunk, without line breaks */
  text(json: string): Buffer;
  /** What closes the stream. */
  end(): Buffer;
}

/** `data:` lines. Google's clients take nothing else. */
export const EVENT_FRAME: ChunkFrame = {
  chunk: (json) => Buffer.concat([DATA, oneLine(json), BLANK_LINE]),
  text: (json) => Buffer.from(`data: ${json}\n\n`),
  end: () => EMPTY,
};

/** Outside of texts a line break of JSON is as good as a space, and within them there is none. */
function oneLine(json: Buffer): Buffer {
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return Buffer.from(json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte)));
}

/** One JSON array, that knows whether it has begun. */
export class ArrayFrame implements ChunkFrame {
  #hasBegun = false;

  chunk(json: Buffer): Buffer {
    const before = this.#hasBegun ? COMMA : OPENING;
    this.#hasBegun = true;
    return Buffer.concat([before, json]);
  }

  text(json: string): Buffer {
    return this.chunk(Buffer.from(json));
  }

  end(): Buffer {
    return this.#hasBegun ? CLOSING : EMPTY_ARRAY;
  }
}
