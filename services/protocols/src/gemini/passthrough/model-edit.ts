import type { JsonRecord } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { splice } from '../../json/splice.ts';

const KEY = Buffer.from('"modelVersion"');
const SPACE = 0x20;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

const LIMITS = { maxDepth: 256, uniqueKeys: false, within: [] };

/**
 * A chunk with the model's name here. The name comes last in Google's chunks, so it is looked for from the end; where
 * the key is there only once, it is that of the chunk itself.
 *
 * @param value the chunk, parsed
 * @param json the name as JSON
 */
export function withModel(data: Buffer, value: JsonRecord, json: Buffer, model: string): Buffer {
  const named = value['modelVersion'];
  if (named === undefined || named === model) return data;
  const key = data.lastIndexOf(KEY);
  const isOnly = key > 0 && data[key - 1] !== BACKSLASH && data.indexOf(KEY) === key;
  const start = isOnly ? valueStart(data, key + KEY.length) : -1;
  const end = start === -1 ? -1 : data.indexOf(QUOTE, start + 1);
  if (end === -1 || data.subarray(start, end).includes(BACKSLASH)) return slowly(data, json);
  return Buffer.concat([data.subarray(0, start), json, data.subarray(end + 1)]);
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

function slowly(data: Buffer, json: Buffer): Buffer {
  const scanned = scanObject(data, LIMITS);
  if (!scanned.ok) return data;
  return splice(scanned.object, [{ op: 'set', path: ['modelVersion'], json: json.toString('utf8') }]);
}
