import type { JsonRecord } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { splice } from '../../json/splice.ts';

const KEY = Buffer.from('"modelVersion"');
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const CLOSING_BRACE = 0x7d;
const NEVER = Buffer.alloc(0);

const LIMITS = { maxDepth: 256, uniqueKeys: false, within: [] };

/**
 * Puts the model's name here into the chunks of one stream. Google's chunks end alike, in the name and the response's id,
 * so that most are told by their last bytes.
 */
export class ModelEditor {
  readonly #model: string;
  readonly #json: Buffer;
  /** How a chunk ended, from the name's key on. */
  #tail: Buffer = NEVER;
  /** What takes the place of `#tail`. */
  #newTail: Buffer = NEVER;

  constructor(model: string) {
    this.#model = model;
    this.#json = Buffer.from(JSON.stringify(model));
  }

  /**
   * The pieces of the chunk's new text.
   *
   * @param value the chunk, parsed
   */
  edit(data: Buffer, value: JsonRecord): readonly Buffer[] {
    const named = value['modelVersion'];
    if (named === undefined || named === this.#model) return [data];
    const tail = this.#tail;
    const at = data.length - tail.length;
    // What begins with a key behind a comma and has the outermost brace as its only one stands in the chunk itself.
    const isKnown = tail !== NEVER && at > 0 && data[at - 1] === COMMA && tail.compare(data, at) === 0;
    return isKnown ? [data.subarray(0, at), this.#newTail] : this.#find(data);
  }

  /** Looks for the name from the end; where its key is there only once, it is that of the chunk itself. */
  #find(data: Buffer): readonly Buffer[] {
    const key = data.lastIndexOf(KEY);
    const isOnly = key > 0 && data[key - 1] !== BACKSLASH && data.indexOf(KEY) === key;
    const start = isOnly ? valueStart(data, key + KEY.length) : -1;
    const end = start === -1 ? -1 : data.indexOf(QUOTE, start + 1);
    if (end === -1 || data.subarray(start, end).includes(BACKSLASH)) return [this.#findSlowly(data)];
    const pieces = [data.subarray(0, start), this.#json, data.subarray(end + 1)];
    if (data[key - 1] === COMMA && data.indexOf(CLOSING_BRACE, end) === data.length - 1) {
      this.#tail = Buffer.from(data.subarray(key));
      this.#newTail = Buffer.concat([data.subarray(key, start), this.#json, data.subarray(end + 1)]);
    }
    return pieces;
  }

  #findSlowly(data: Buffer): Buffer {
    const scanned = scanObject(data, LIMITS);
    if (!scanned.ok) return data;
    return splice(scanned.object, [{ op: 'set', path: ['modelVersion'], json: this.#json.toString('utf8') }]);
  }
}

/** Where the text after the colon opens; -1 when it is not written as usual. */
function valueStart(data: Buffer, from: number): number {
  let at = from;
  while (data[at] === SPACE) at++;
  if (data[at] !== COLON) return -1;
  at++;
  while (data[at] === SPACE) at++;
  return data[at] === QUOTE ? at : -1;
}
