import { elementsOf } from '../../json/elements.ts';
import { type JsonMember, type JsonObject, memberOf } from '../../json/object.ts';
import { isRecord, parseJson } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { SseParser } from '../../sse/parse.ts';

/** An item of a response that later requests can refer to by its id. */
export interface StorableItem {
  readonly id: string;
  readonly json: string;
}

const LIMITS = { maxDepth: 256, uniqueKeys: false, within: [] };
const LEFT_BRACE = 0x7b;

/** The last events of streams, which contain the complete output. */
const LAST_EVENTS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);

/**
 * The items of a response as the client gets it: of a buffered response, or of the bytes that close a stream, whose last
 * event repeats all items. Items without an id cannot be referred to.
 */
export function storableItems(body: Buffer): StorableItem[] {
  if (body[0] === LEFT_BRACE) return itemsOf(body);
  const { events } = new SseParser({ maxEventBytes: body.length + 1 }).push(body);
  return events.flatMap(({ data, type }) => {
    if (data === undefined || !LAST_EVENTS.has(type)) return [];
    const scanned = scanObject(data, LIMITS);
    const response = scanned.ok ? memberOf(scanned.object, 'response') : undefined;
    return response === undefined ? [] : itemsOf(data.subarray(response.valueStart, response.valueEnd));
  });
}

function itemsOf(response: Buffer): StorableItem[] {
  const scanned = scanObject(response, LIMITS);
  const output = scanned.ok ? memberOf(scanned.object, 'output') : undefined;
  return scanned.ok && output !== undefined ? elementsIn(scanned.object, output) : [];
}

function elementsIn(object: JsonObject, output: JsonMember): StorableItem[] {
  return elementsOf(object, output).flatMap(({ start, end }) => {
    const json = object.bytes.toString('utf8', start, end).trim();
    const item = parseJson(json);
    const id = isRecord(item) ? item['id'] : undefined;
    return typeof id === 'string' && id !== '' ? [{ id, json }] : [];
  });
}
