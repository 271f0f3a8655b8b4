import { isRecord, type JsonRecord } from '../json/record.ts';
import type { Diagnostics } from '../request/diagnostics.ts';
import type { ResponseFormat } from './request.ts';

/** The members of a JSON Schema that hold others by name, and in a list. */
const NAMED: readonly string[] = ['properties', '$defs', 'definitions'];
const LISTED: readonly string[] = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];

/**
 * A copy of a schema with `change` applied to it and all schemas within it, innermost first. Undefined if `change` returns
 * undefined for one of them.
 */
export function mapSchema(
  schema: JsonRecord,
  change: (schema: JsonRecord) => JsonRecord | undefined,
): JsonRecord | undefined {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    const inner = mapMember(key, value, change);
    if (inner === undefined) return undefined;
    copy[key] = inner;
  }
  return change(copy);
}

function mapMember(key: string, value: unknown, change: (schema: JsonRecord) => JsonRecord | undefined): unknown {
  const map = (inner: unknown) => (isRecord(inner) ? mapSchema(inner, change) : inner);
  if (NAMED.includes(key) && isRecord(value)) {
    const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, map(inner)]);
    return entries.some(([, inner]) => inner === undefined) ? undefined : Object.fromEntries(entries);
  }
  if (LISTED.includes(key) && Array.isArray(value)) {
    const list = value.map(map);
    return list.includes(undefined) ? undefined : list;
  }
  return key === 'items' ? map(value) : value;
}

/**
 * The schema with all its objects closed: they hold what it lists and nothing else, as providers demand of schemas that
 * they hold a model to. What fits it fits the schema as it was. Undefined where an object is meant to hold what is not
 * listed, which a closed one could never say.
 */
export function closedSchema(schema: JsonRecord): JsonRecord | undefined {
  return mapSchema(schema, closed);
}

function closed(schema: JsonRecord): JsonRecord | undefined {
  const { allOf, properties, additionalProperties: others } = schema;
  // Objects that must fit several schemas at once could fit none of them closed.
  if (Array.isArray(allOf) && allOf.filter((one) => isRecord(one) && isObjectSchema(one)).length > 1) return undefined;
  if (!isObjectSchema(schema) || others === false) return schema;
  const isOpen = !isRecord(properties) || (isRecord(others) && Object.keys(others).length > 0);
  return isOpen ? undefined : { ...schema, additionalProperties: false };
}

function isObjectSchema({ type, properties }: JsonRecord): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isRecord(properties);
}

/** https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const NEVER_STRICT = [
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
];

/**
 * The schema as OpenAI's strict mode takes it: an object whose objects are all closed and demand all that they list.
 * Undefined where that would make it another.
 */
export function openAiStrictSchema(schema: JsonRecord): JsonRecord | undefined {
  if (schema['type'] !== 'object' || schema['anyOf'] !== undefined) return undefined;
  return mapSchema(schema, (inner) => {
    if (NEVER_STRICT.some((keyword) => inner[keyword] !== undefined)) return undefined;
    return demandsAll(inner) ? closed(inner) : undefined;
  });
}

function demandsAll({ properties, required }: JsonRecord): boolean {
  if (!isRecord(properties)) return true;
  const demanded = new Set<unknown>(Array.isArray(required) ? required : []);
  return Object.keys(properties).every((name) => demanded.has(name));
}

const DEFAULT_FORMAT_NAME = 'response';

/** A JSON Schema response format with the members of OpenAI's protocols; without `strict` if its schema cannot be strict. */
export function encodeJsonSchemaFormat(
  { name, description, schema, strict }: Extract<ResponseFormat, { readonly type: 'json-schema' }>,
  at: string | undefined,
  diagnostics: Diagnostics,
): JsonRecord {
  const strictForm = strict === true ? openAiStrictSchema(schema) : undefined;
  if (strict === true && strictForm === undefined) {
    diagnostics.warn(at, 'not sent as strict, since its schema has optional properties or open objects');
  }
  return {
    name: name ?? DEFAULT_FORMAT_NAME,
    ...(description !== undefined && { description }),
    schema: strictForm ?? schema,
    ...(strict !== undefined && { strict: strictForm !== undefined }),
  };
}

/** The strict form of a function's parameters; undefined, with a warning, if there is none. */
export function strictParameters(
  parameters: JsonRecord,
  at: string | undefined,
  diagnostics: Diagnostics,
): JsonRecord | undefined {
  const strictForm = openAiStrictSchema(parameters);
  if (strictForm === undefined) {
    diagnostics.warn(
      at,
      "not sent as strict, since this model's provider requires strict objects to list all properties as required",
    );
  }
  return strictForm;
}
