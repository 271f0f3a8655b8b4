import type { JsonSchema } from '@tollgate/console/openapi/types';

const REFERENCE = '#/components/schemas/';

/** What a value may be. */
export interface Resolved {
  schema: JsonSchema;
  /** The name of the schema in the document, such as `Money`. */
  name: string | undefined;
  /** Whether it may be null too. */
  nullable: boolean;
}

export function isReference(value: object): value is { $ref: string } {
  return '$ref' in value;
}

/** Follows references, and takes null apart. */
export function resolve(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>): Resolved {
  const options = schema.anyOf?.filter((option) => option.type !== 'null');
  const [only] = options ?? [];
  if (only !== undefined && options?.length === 1) return { ...resolve(only, components), nullable: true };
  const name = schema.$ref?.startsWith(REFERENCE) === true ? schema.$ref.slice(REFERENCE.length) : undefined;
  const found = name === undefined ? undefined : components[name];
  return { schema: found ?? schema, name, nullable: false };
}

/** The schema of the items of a list; undefined for what is no list. */
export function itemsOf({ type, items }: JsonSchema): JsonSchema | undefined {
  return type === 'array' && typeof items === 'object' && !Array.isArray(items) ? items : undefined;
}

/** The fields of an object that has named ones. */
export function propertiesOf({ properties = {} }: JsonSchema): [name: string, schema: JsonSchema][] {
  return Object.entries(properties).flatMap(([name, schema]) => (typeof schema === 'boolean' ? [] : [[name, schema]]));
}
