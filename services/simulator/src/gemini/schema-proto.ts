import { z } from 'zod';
import { fields, isObject } from '../validation/fields.ts';

const TYPES = ['TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'];
/** 64-bit integers are strings in the JSON of protocol buffers; numbers are accepted too. */
const int64 = z.union([z.int().min(0), z.string().regex(/^\d+$/)]).optional();

interface SchemaProto {
  type?: string | undefined;
  properties?: Record<string, SchemaProto> | undefined;
  items?: SchemaProto | undefined;
  anyOf?: SchemaProto[] | undefined;
  required?: string[] | undefined;
  enum?: string[] | undefined;
  format?: string | undefined;
}

/** Google's own schema format, with fewer fields than JSON Schema; others are unknown names. */
export const schemaProto: z.ZodType<Record<string, unknown>> = fields({
  type: z
    .string()
    .refine((type) => TYPES.includes(type.toUpperCase()), 'Invalid value (Type)')
    .optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  nullable: z.boolean().optional(),
  format: z.string().optional(),
  enum: z.array(z.string()).optional(),
  default: z.unknown().optional(),
  example: z.unknown().optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: int64,
  maxLength: int64,
  minItems: int64,
  maxItems: int64,
  minProperties: int64,
  maxProperties: int64,
  required: z.array(z.string()).optional(),
  propertyOrdering: z.array(z.string()).optional(),
  get items() {
    return schemaProto.optional();
  },
  get anyOf() {
    return z.array(schemaProto).optional();
  },
  get properties() {
    return z.record(z.string(), schemaProto).optional();
  },
});

/** Finds what Google would reject in a schema that parses, with its path below `path`. */
export function schemaFault(given: unknown, path: string): string | undefined {
  if (!isObject(given)) return undefined;
  const schema: SchemaProto = given;
  const type = schema.type?.toUpperCase();
  const own = ownFault(schema, type, path);
  if (own !== undefined) return own;
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const fault = schemaFault(inner, `${path}.properties[${name}]`);
    if (fault !== undefined) return fault;
  }
  for (const [index, inner] of (schema.anyOf ?? []).entries()) {
    const fault = schemaFault(inner, `${path}.any_of[${index}]`);
    if (fault !== undefined) return fault;
  }
  return schemaFault(schema.items, `${path}.items`);
}

function ownFault(schema: SchemaProto, type: string | undefined, path: string): string | undefined {
  const properties = Object.keys(schema.properties ?? {});
  if (type === undefined && schema.anyOf === undefined) return `${path}.type: must be specified`;
  if (type === 'OBJECT' && properties.length === 0) return `${path}.properties: should be non-empty for OBJECT type`;
  if (type === 'ARRAY' && schema.items === undefined) return `${path}.items: missing field.`;
  if (schema.enum !== undefined && type !== 'STRING') return `${path}.enum: only allowed for STRING type`;
  if (schema.enum?.includes('') === true) return `${path}.enum[${schema.enum.indexOf('')}]: cannot be empty`;
  if (type === 'STRING' && schema.format !== undefined && !['enum', 'date-time'].includes(schema.format)) {
    return `${path}.format: only 'enum' and 'date-time' are supported for STRING type`;
  }
  const unknown = (schema.required ?? []).findIndex((name) => !properties.includes(name));
  return unknown < 0 ? undefined : `${path}.required[${unknown}]: property is not defined`;
}
