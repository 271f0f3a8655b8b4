import { isRecord, type JsonRecord } from '../../src/json/record.ts';

/** The keys of a field's path; `[]` is an element of an array. */
export function keysOf(field: string): string[] {
  return field.replaceAll('[]', '.[]').split('.');
}

/**
 * A request that has the field: the example is its value, or an object of members among which the field is, where it
 * needs company.
 */
export function mergeExample(minimal: JsonRecord, field: string, example: unknown): JsonRecord {
  const keys = keysOf(field);
  if (isRecord(example) && has(example, keys)) return { ...minimal, ...example };
  const merged = put(minimal, keys, example);
  return isRecord(merged) ? merged : minimal;
}

/** Whether the value has something at the path. */
function has(value: unknown, keys: readonly string[]): boolean {
  const [key, ...rest] = keys;
  if (key === undefined) return true;
  if (key === '[]') return Array.isArray(value) && value.some((element) => has(element, rest));
  return isRecord(value) && Object.hasOwn(value, key) && has(value[key], rest);
}

/** A copy with a value at the path, in the first element of each array. */
function put(into: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (key === '[]') {
    const elements: unknown[] = Array.isArray(into) ? into : [];
    return [put(elements[0], rest, value), ...elements.slice(1)];
  }
  const record = isRecord(into) ? into : {};
  return { ...record, [key]: put(record[key], rest, value) };
}

/** A copy without the field, in all elements of arrays. */
export function without(value: unknown, keys: readonly string[]): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (key === '[]') {
    if (!Array.isArray(value)) return value;
    return rest.length === 0 ? [] : value.map((element) => without(element, rest));
  }
  if (!isRecord(value) || !Object.hasOwn(value, key)) return value;
  const { [key]: inner, ...others } = value;
  return rest.length === 0 ? others : { ...others, [key]: without(inner, rest) };
}
