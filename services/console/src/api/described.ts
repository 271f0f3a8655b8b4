import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { enumNames, isTime, jsonNameOf } from '@tollgate/common/descriptors/json';
import { isSettings, messageNamed, rulesOf, wrappedField } from '@tollgate/common/descriptors/registry';
import { Format } from '@tollgate/proto/api';
import { z } from 'zod';
import { id, memberRole, money, percent, role, tags, time } from './fields.ts';

type Schema<V> = z.ZodType<V, V>;
/** Schemas of the fields of a request, of which `Required` have to be given. */
type RequestShape<J, Required> = {
  [K in keyof J]: K extends Required ? Schema<Given<K, J[K]>> : z.ZodOptional<Schema<Given<K, J[K]>>>;
};
/** A request leaves out what it does not set; null stands for no time. */
type Given<K, V> = K extends `${string}_at` | `${string}_until` ? V : NonNullable<V>;

/** Texts of the OpenAPI document, by field; `''` stands for the whole. */
type Descriptions<J> = Partial<Record<keyof J | '', string>>;

/** The schemas of entities, to which all others refer. An entity with descriptions is created before others that contain it. */
const entities = new Map<DescMessage, z.ZodObject>();

/**
 * The schema of an entity's JSON, by its proto file; see `toJson`.
 *
 * @param name such as `tollgate.auth.v1.ApiKey`
 * @param descriptions of its fields
 */
export function entity<J extends object>(
  name: string,
  descriptions: Descriptions<J> = {},
): z.ZodObject<{ [K in keyof J]: Schema<J[K]> }> {
  return entityOf(messageNamed(name), descriptions) as unknown as z.ZodObject<{ [K in keyof J]: Schema<J[K]> }>;
}

/**
 * The schema of the body of a request: the fields of its message that its path lacks.
 *
 * @param name such as `tollgate.auth.v1.CreateKeyRequest`
 * @param inPath the names of the others
 */
export function requestBody<J extends object, Required extends keyof J = never>(
  name: string,
  inPath: readonly string[],
  descriptions: Descriptions<J> = {},
): z.ZodObject<RequestShape<J, Required>, z.core.$strict> {
  const fields = messageNamed(name).fields.filter((field) => !inPath.includes(field.name));
  const shape = Object.fromEntries(
    fields.map((field) => {
      const schema = describe(schemaOf(field), field, descriptions);
      return [jsonNameOf(field), rulesOf(field).required ? schema : schema.optional()];
    }),
  );
  return z.strictObject(shape) as unknown as z.ZodObject<RequestShape<J, Required>, z.core.$strict>;
}

function entityOf(message: DescMessage, descriptions: Readonly<Record<string, string | undefined>>): z.ZodObject {
  const known = entities.get(message);
  if (known !== undefined) return known;
  const fields = message.fields.filter((field) => !rulesOf(field).internal);
  const shape = Object.fromEntries(
    fields.map((field) => {
      const schema = schemaOf(field);
      const nullable = field.proto.proto3Optional ? schema.nullable() : schema;
      return [jsonNameOf(field), describe(nullable, field, descriptions)];
    }),
  );
  const { '': text } = descriptions;
  const schema = text === undefined ? z.object(shape) : z.object(shape).describe(text);
  entities.set(message, schema);
  return schema;
}

function describe(
  schema: z.ZodType,
  field: DescField,
  descriptions: Readonly<Record<string, string | undefined>>,
): z.ZodType {
  const text = descriptions[jsonNameOf(field)];
  return text === undefined ? schema : schema.describe(text);
}

/** The schema of a value that is set. */
function schemaOf(field: DescField): z.ZodType {
  const { maxItems } = rulesOf(field);
  switch (field.fieldKind) {
    case 'scalar':
      return scalarOf(field, field.scalar);
    case 'message': {
      const wrapped = wrappedField(field.message);
      if (wrapped !== undefined) return schemaOf(wrapped);
      const schema = entityOf(field.message, {});
      return isSettings(field.message) || !rulesOf(field).nullable ? schema : schema.nullable();
    }
    case 'list': {
      const item = field.listKind === 'scalar' ? scalarOf(field, field.scalar) : itemOf(field);
      return maxItems === undefined ? z.array(item) : z.array(item).max(maxItems);
    }
    case 'map':
      return tags;
    case 'enum':
      return enumOf(field.enum, rulesOf(field).format === Format.MEMBER_ROLE);
    default:
      return field satisfies never;
  }
}

/** Of roles, the schemas to which all others refer. */
function enumOf(type: DescEnum, isOfMembers: boolean): z.ZodType {
  if (type.typeName === 'tollgate.auth.v1.Role') return isOfMembers ? memberRole : role;
  return z.enum([...enumNames(type).values()]);
}

function itemOf(field: DescField & { fieldKind: 'list' }): z.ZodType {
  if (field.message === undefined) throw new Error(`${field.toString()}: lists of enums are not supported`);
  return entityOf(field.message, {});
}

function scalarOf(field: DescField, type: ScalarType): z.ZodType {
  const { format, min, max, nullable } = rulesOf(field);
  if (format === Format.UUID) return id;
  if (format === Format.MONEY) return money;
  if (format === Format.PERCENT) return percent;
  if (isTime(format)) return nullable ? time.nullable() : time;
  switch (type) {
    case ScalarType.STRING: {
      const text = format === Format.PLAIN_TEXT ? z.string().trim() : z.string();
      return bounded(text, min, max);
    }
    case ScalarType.BOOL:
      return z.boolean();
    case ScalarType.BYTES:
      return z.string();
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return z.number();
    default: {
      const unit = format === Format.DURATION ? 1_000n : 1n;
      return bounded(z.int(), min && min / unit, max && max / unit);
    }
  }
}

function bounded<S extends z.ZodString | z.ZodInt>(schema: S, min: bigint | undefined, max: bigint | undefined): S {
  const atLeast = min === undefined ? schema : (schema.min(Number(min)) as S);
  return max === undefined ? atLeast : (atLeast.max(Number(max)) as S);
}
