import { elementsOf } from './elements.ts';
import { memberOf } from './object.ts';
import { isRecord, isSet, type JsonRecord } from './record.ts';
import { scanObject } from './scan.ts';
import { type Edit, splice } from './splice.ts';

/** A field of an object, of objects within it, or of the elements of lists: `output_config.effort`, `tools[].strict`. */
export type FieldPath = readonly PathStep[];

interface PathStep {
  readonly key: string;
  /** The value is a list, and the rest of the path is about each of its elements. */
  readonly isList: boolean;
}

export function parseFieldPath(text: string): FieldPath {
  return text.split('.').map((step) => {
    const isList = step.endsWith('[]');
    return { key: isList ? step.slice(0, -2) : step, isList };
  });
}

/** Whether a value has the field, at one element of a list at least. */
export function hasField(value: unknown, path: FieldPath): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return true;
  if (!isRecord(value)) return false;
  const inner = value[step.key];
  if (!isSet(inner)) return false;
  if (!step.isList) return hasField(inner, rest);
  return Array.isArray(inner) && inner.some((element) => hasField(element, rest));
}

const LIMITS = { maxDepth: Number.POSITIVE_INFINITY, uniqueKeys: false, within: [] };

/** The text of an object without a field. All other bytes stay. */
export function withoutField(bytes: Buffer, path: FieldPath): Buffer {
  const [step, ...rest] = path;
  const scanned = step === undefined ? undefined : scanObject(bytes, LIMITS);
  if (step === undefined || scanned?.ok !== true) return bytes;
  const { object } = scanned;
  const member = memberOf(object, step.key);
  if (member === undefined) return bytes;
  if (rest.length === 0) return splice(object, [{ op: 'remove', path: [step.key] }]);
  const set = (json: string): Edit => ({ op: 'set', path: [step.key], json });
  if (!step.isList) {
    const inner = withoutField(object.bytes.subarray(member.valueStart, member.valueEnd), rest);
    return splice(object, [set(inner.toString('utf8'))]);
  }
  if (member.kind !== 'array') return bytes;
  const texts = elementsOf(object, member).map(({ start, end }) =>
    withoutField(object.bytes.subarray(start, end), rest).toString('utf8'),
  );
  return splice(object, [set(`[${texts.join(',')}]`)]);
}

/** The text of an object with one more element at the end of a list that has some. All other bytes stay. */
export function withElement(bytes: Buffer, key: string, json: string): Buffer {
  const scanned = scanObject(bytes, LIMITS);
  const member = scanned.ok ? memberOf(scanned.object, key) : undefined;
  if (member?.kind !== 'array') return bytes;
  const end = member.valueEnd - 1;
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(`,${json}`), bytes.subarray(end)]);
}

/** A record without a field. Everything that does not have it is the same object as before. */
export function recordWithoutField(record: JsonRecord, path: FieldPath): JsonRecord {
  const [step, ...rest] = path;
  if (step === undefined || !hasField(record, path)) return record;
  const { [step.key]: inner, ...others } = record;
  if (rest.length === 0) return others;
  const shorter = (value: unknown) => (isRecord(value) ? recordWithoutField(value, rest) : value);
  return { ...record, [step.key]: step.isList && Array.isArray(inner) ? inner.map(shorter) : shorter(inner) };
}
