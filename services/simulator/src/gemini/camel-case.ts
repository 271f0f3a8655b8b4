import { isObject } from '../validation/fields.ts';

/** Fields with the caller's own keys, which stay unchanged. */
const FREE = [
  'args',
  'response',
  'parametersJsonSchema',
  'responseJsonSchema',
  'partMetadata',
  'labels',
  'default',
  'example',
  'simulate',
];

/** Protocol buffers accept field names in both cases; the schemas use this one. */
export function camelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCase);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const name = key.startsWith('x_') ? key : key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (name === 'properties' && isObject(inner)) {
      return [name, Object.fromEntries(Object.entries(inner).map(([own, schema]) => [own, camelCase(schema)]))];
    }
    return [name, FREE.includes(name) || key.startsWith('x_') ? inner : camelCase(inner)];
  });
  return Object.fromEntries(entries);
}
