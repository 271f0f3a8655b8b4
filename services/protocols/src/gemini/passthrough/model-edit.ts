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
 * Replaces the model's name in the chunks of one stream. Google's chunks end alike, with the name and the response's id,
 * so most are recognized by their last bytes.
 */
export class ModelEditor {
  readonly #model: string;
  readonly #json: Buffer;
  /** The end of the last chunk, from the name's key on. */
  #tail: Buffer = NEVER;
  /** The replacement for `#tail`. */
  #newTail: Buffer = NEVER;

  constructor(model: string) {
    this.#model = model;
    this.#json = Buffer.from(JSON.stringify(model));
  }

  /**
   * Returns the pieces of the edited chunk.
   *
   * @param value the chunk, parsed
   */
  edit(data: Buffer, value: JsonRecord): readonly Buffer[] {
    const named = value['modelVersion'];
    if (named === undefined || named === this.#model) return [data];
    const tail = this.#tail;
    const at = data.length - tail.length;
    // Text that begins with a comma and a key, and has the outermost brace as its only one, is at the top level.
    const isKnown = tail !== NEVER && at > 0 && data[at - 1] === COMMA && tail.compare(data, at) === 0;
    return isKnown ? [data.subarray(0, at), this.#newTail] : this.#find(data);
  }

  /** Looks for the name from the end; if its key occurs once, it is the chunk's. */
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

/** The offset of the string after the colon; -1 if there is none. */
function valueStart(data: Buffer, from: number): number {
  let at = from;
  while (data[at] === SPACE) at++;
  if (data[at] !== COLON) return -1;
  at++;
  while (data[at] === SPACE) at++;
  return data[at] === QUOTE ? at : -1;
}
