import { isRecord, type JsonRecord } from '../../json/record.ts';

/** Bounds that protobuf's JSON writes as strings, since they are 64-bit. */
const BOUNDS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);

/**
 * Converts a schema in Google's subset of OpenAPI 3.0 (types in capitals, `nullable`, one `example`) to JSON Schema.
 * `propertyOrdering` has no equivalent and is dropped.
 */
export function toJsonSchema(schema: JsonRecord): JsonRecord {
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (value === null && key !== 'default' && key !== 'example') continue;
    const entry = memberOf(key, value);
    if (entry !== undefined) entries.push(entry);
  }
  const converted = Object.fromEntries(entries);
  return schema['nullable'] === true ? nullable(converted) : converted;
}

function memberOf(key: string, value: unknown): [string, unknown] | undefined {
  switch (key) {
    case 'type':
      if (typeof value !== 'string') return [key, value];
      return value === 'TYPE_UNSPECIFIED' ? undefined : [key, value.toLowerCase()];
    case 'nullable':
    case 'propertyOrdering':
      return undefined;
    case 'format':
      // Redundant beside `enum`.
      return value === 'enum' ? undefined : [key, value];
    case 'example':
      return ['examples', [value]];
    case 'items':
      return [key, isRecord(value) ? toJsonSchema(value) : value];
    case 'anyOf':
      return [key, Array.isArray(value) ? value.map(convertInner) : value];
    case 'properties':
      if (!isRecord(value)) return [key, value];
      return [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, convertInner(inner)]))];
    default:
      return [key, BOUNDS.has(key) && typeof value === 'string' ? Number(value) : value];
  }
}

function convertInner(value: unknown): unknown {
  return isRecord(value) ? toJsonSchema(value) : value;
}

function nullable(schema: JsonRecord): JsonRecord {
  const { type, enum: values, anyOf } = schema;
  return {
    ...schema,
    ...(typeof type === 'string' && type !== 'null' && { type: [type, 'null'] }),
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
    ...(Array.isArray(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
  };
}
