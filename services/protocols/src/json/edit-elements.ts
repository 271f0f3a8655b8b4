import { elementsOf } from './elements.ts';
import type { JsonMember, JsonObject } from './object.ts';
import { scanObject } from './scan.ts';

const LIMITS = { maxDepth: Number.POSITIVE_INFINITY, uniqueKeys: false, within: [] };

/** The JSON text of an array member with each element edited. */
export function editElements(
  object: JsonObject,
  member: JsonMember,
  edit: (bytes: Buffer, index: number) => Buffer,
): string {
  const texts = elementsOf(object, member).map(({ start, end }, i) =>
    edit(object.bytes.subarray(start, end), i).toString('utf8'),
  );
  return `[${texts.join(',')}]`;
}

/** An edited object; any other value as it is. */
export function editObject(bytes: Buffer, edit: (object: JsonObject) => Buffer): Buffer {
  const scanned = scanObject(bytes, LIMITS);
  return scanned.ok ? edit(scanned.object) : bytes;
}
