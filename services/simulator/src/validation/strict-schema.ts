import { isObject } from './fields.ts';

/** Keywords that OpenAI's strict mode does not support. https://platform.openai.com/docs/guides/structured-outputs */
const REFUSED_KEYWORDS = [
  'allOf',
  'not',
  'dependentRequired',
  'dependentSchemas',
  'if',
  'then',
  'else',
  'patternProperties',
];

/** Why OpenAI's strict mode would reject a schema; undefined if it accepts it. */
export function strictSchemaFault(schema: unknown): string | undefined {
  if (!isObject(schema)) return 'schema must be an object.';
  if (schema['type'] !== 'object')
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${schema['type']}"'.`;
  return faultAt(schema, []);
}

function faultAt(schema: unknown, path: readonly string[]): string | undefined {
  if (!isObject(schema)) return undefined;
  const context = `In context=(${path.map((step) => `'${step}'`).join(', ')}),`;
  const refused = REFUSED_KEYWORDS.find((keyword) => keyword in schema);
  if (refused !== undefined) return `${context} '${refused}' is not permitted.`;
  const type = schema['type'];
  if (type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(schema['properties'])) {
    const fault = objectFault(schema, context);
    if (fault !== undefined) return fault;
  }
  for (const [name, inner] of innerSchemas(schema)) {
    const fault = faultAt(inner, [...path, ...name]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function objectFault(schema: Record<string, unknown>, context: string): string | undefined {
  if (schema['additionalProperties'] !== false) {
    return `${context} 'additionalProperties' is required to be supplied and to be false.`;
  }
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const missing = properties.find((name) => !required.includes(name));
  if (missing === undefined) return undefined;
  return `${context} 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}

function innerSchemas(schema: Record<string, unknown>): [string[], unknown][] {
  const found: [string[], unknown][] = [];
  for (const key of ['properties', '$defs', 'definitions']) {
    const group = schema[key];
    if (isObject(group)) for (const [name, inner] of Object.entries(group)) found.push([[key, name], inner]);
  }
  if (schema['items'] !== undefined) found.push([['items'], schema['items']]);
  const anyOf = schema['anyOf'];
  if (Array.isArray(anyOf)) for (const [index, inner] of anyOf.entries()) found.push([['anyOf', String(index)], inner]);
  return found;
}
