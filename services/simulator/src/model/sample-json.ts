type Schema = Record<string, unknown>;

/** Maximum depth of a schema; recursive ones end here. */
const MAX_DEPTH = 12;

/** JSON text that fits a schema, always the same. A schema without properties yields an empty object. */
export function sampleJson(schema: Schema | undefined): string {
  if (schema === undefined || Object.keys(schema).every((key) => key === 'type')) return '{"simulated":true}';
  const value = sample(schema, schema, 0);
  if (isSchema(value) && Object.keys(value).length === 0) return '{"simulated":true}';
  return JSON.stringify(value);
}

function sample(given: unknown, root: Schema, depth: number): unknown {
  if (!isSchema(given) || depth > MAX_DEPTH) return null;
  const schema = resolve(given, root);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const options = schema[key];
    if (Array.isArray(options)) return sample(options[0], root, depth + 1);
  }
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (typeof type === 'string' ? type.toLowerCase() : 'object') {
    case 'string':
      return sampleString(schema);
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: Math.min(Number(schema['minItems'] ?? 1), 100) }, () =>
        sample(schema['items'], root, depth + 1),
      );
    default:
      return sampleObject(schema, root, depth);
  }
}

function sampleObject(schema: Schema, root: Schema, depth: number): Record<string, unknown> {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, sample(inner, root, depth + 1)]));
}

function sampleString(schema: Schema): string {
  const text = 'simulated';
  const [min, max] = [Number(schema['minLength'] ?? 0), Number(schema['maxLength'] ?? 1_000)];
  return text.padEnd(Math.min(min, 1_000), '.').slice(0, max);
}

function resolve(schema: Schema, root: Schema): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#')) return schema;
  let found: unknown = root;
  for (const step of reference.split('/').slice(1)) found = isSchema(found) ? found[step] : undefined;
  return isSchema(found) ? found : {};
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
