import { elementsOf } from '../../json/elements.ts';
import { memberOf } from '../../json/object.ts';
import { isRecord, type JsonRecord, parseJson } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { splice } from '../../json/splice.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import { MAX_REQUEST_DEPTH, MAX_REQUEST_VALUES } from '../../request/parse-json-request.ts';

/** An item of `input` that refers to one of an earlier response. */
export interface ItemReference {
  readonly id: string;
  /** Its index in `input`. */
  readonly index: number;
}

/**
 * Whether an item is a reference. The type is optional, so an item with an id and neither role nor content is one
 * too.
 */
export function isReference(item: JsonRecord): boolean {
  const type = item['type'];
  if (type === 'item_reference') return true;
  return (type === undefined || type === null) && typeof item['id'] === 'string' && item['role'] === undefined;
}

const LIMITS = { maxDepth: MAX_REQUEST_DEPTH, maxValues: MAX_REQUEST_VALUES, uniqueKeys: true, within: [] };

/** Maximum length of a reference. */
const MAX_REFERENCE_BYTES = 1_024;

const ID_KEY = Buffer.from('"id"');

/**
 * The item references of a request's body, in their order. An invalid body has none: its errors are reported
 * when it is parsed.
 */
export function* findItemReferences(body: Buffer): Stages<readonly ItemReference[]> {
  // Searching for a key that all references have is much cheaper than parsing, and most bodies have none.
  if (!body.includes(ID_KEY) && !body.includes('\\u')) return [];
  const scanned = scanObject(body, LIMITS);
  if (!scanned.ok) return [];
  yield;
  const input = memberOf(scanned.object, 'input');
  if (input === undefined) return [];
  const references: ItemReference[] = [];
  for (const [index, { start, end }] of elementsOf(scanned.object, input).entries()) {
    if (isTurnOver()) yield;
    if (end - start > MAX_REFERENCE_BYTES) continue;
    const item = parseJson(body.toString('utf8', start, end));
    if (!isRecord(item) || !isReference(item)) continue;
    const { id } = item;
    if (typeof id === 'string') references.push({ id, index });
  }
  return references;
}

/**
 * Replaces references by the items they name; all other bytes stay. References without an item stay as well, and are
 * rejected when the request is parsed.
 *
 * @param itemsById JSON texts of items by their ids
 */
export function* replaceItemReferences(body: Buffer, itemsById: ReadonlyMap<string, string>): Stages<Buffer> {
  const found = yield* findItemReferences(body);
  const references = found.filter(({ id }) => itemsById.has(id));
  if (references.length === 0) return body;
  yield;
  const scanned = scanObject(body, LIMITS);
  const input = scanned.ok ? memberOf(scanned.object, 'input') : undefined;
  if (!scanned.ok || input === undefined) return body;
  yield;
  const items = elementsOf(scanned.object, input).map(({ start, end }) => body.toString('utf8', start, end));
  yield;
  for (const { id, index } of references) items[index] = itemsById.get(id) ?? '';
  return splice(scanned.object, [{ op: 'set', path: ['input'], json: `[${items.join(',')}]` }]);
}
