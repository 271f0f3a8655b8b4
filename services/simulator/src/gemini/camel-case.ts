import { isObject } from '../validation/fields.ts';

/** Fields whose values are the caller's own: their names stay as they are. */
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

/** Protocol buffers take field names in both spellings: this is the one that the schemas have. */
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
