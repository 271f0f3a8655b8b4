import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { MIN_PASSWORD } from '@tollgate/common/descriptors/check';
import { ANY_OBJECT, enumNames, isTime, jsonNameOf } from '@tollgate/common/descriptors/json';
import { isAllowed, MONEY_PATTERN, PERCENT_PATTERN } from '@tollgate/common/descriptors/read-json';
import { descriptionOf, isSettings, isUnion, rulesOf, wrappedField } from '@tollgate/common/descriptors/registry';
import { Format } from '@tollgate/proto/api';
import type { JsonSchema, Reference } from './types.ts';

/** Formats that many fields have, by their names in the document. */
const SHARED = {
  Id: { type: 'string', format: 'uuid' },
  Money: {
    type: 'string',
    pattern: MONEY_PATTERN,
    description: 'An exact amount of US dollars, such as `84.12` or `-0.000412500`.',
  },
  Percent: {
    type: 'string',
    pattern: PERCENT_PATTERN,
    description: 'Percent of the list price, such as `12.5` or `-10`.',
  },
  Time: { type: 'string', format: 'date-time', description: 'RFC 3339, in UTC in responses.' },
} as const satisfies Record<string, JsonSchema>;

type Direction = 'request' | 'response';

/** Collects the schemas of a document, each under one name; a message's schema has the name of the message. */
export class Schemas {
  readonly #schemas = new Map<string, JsonSchema>(Object.entries(SHARED));
  readonly #messages = new Map<string, DescMessage>();

  /** Adds a schema; returns a reference. */
  add(name: string, schema: JsonSchema): Reference {
    this.#schemas.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The schema of an object with fields of a request. */
  request(fields: readonly DescField[], description: string): JsonSchema {
    return {
      type: 'object',
      properties: this.properties(fields),
      ...withRequired(fields.filter((field) => rulesOf(field).required).map(jsonNameOf)),
      additionalProperties: false,
      ...(description === '' ? {} : { description }),
    };
  }

  /** The schemas of the fields of a request, by their names. */
  properties(fields: readonly DescField[]): Record<string, JsonSchema> {
    return Object.fromEntries(
      fields.flatMap((field): [string, JsonSchema][] => {
        const { inline, nullable, default: given } = rulesOf(field);
        if (inline && field.message !== undefined) return Object.entries(this.properties(field.message.fields));
        const schema = this.#described(field, orNull(this.#schemaOf(field, 'request'), nullable));
        const initial = given === '' ? {} : { default: schema.type === 'integer' ? Number(given) : given };
        return [[jsonNameOf(field), { ...schema, ...initial }]];
      }),
    );
  }

  /** A reference to the schema of a message. */
  message(message: DescMessage, direction: Direction): JsonSchema {
    if (message.typeName === ANY_OBJECT) return { type: 'object' };
    const known = this.#messages.get(message.name);
    if (known !== undefined && known !== message) throw new Error(`two messages are called ${message.name}`);
    if (known === undefined) {
      this.#messages.set(message.name, message);
      const schema = isUnion(message) ? this.#union(message) : this.#object(message, direction);
      const description = descriptionOf(message);
      this.add(message.name, description === '' ? schema : { ...schema, description });
    }
    return { $ref: `#/components/schemas/${message.name}` };
  }

  /** The schema of a field of a response. */
  field(field: DescField): JsonSchema {
    const { nullable, omitted } = rulesOf(field);
    const isSetting = field.fieldKind === 'message' && isSettings(field.message);
    const canBeNull = nullable || (field.proto.proto3Optional && !omitted && !isSetting);
    return this.#described(field, orNull(this.#schemaOf(field, 'response'), canBeNull));
  }

  /** All schemas by name. */
  render(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #described(field: DescField, schema: JsonSchema): JsonSchema {
    const { description } = rulesOf(field);
    return description === '' ? schema : { ...schema, description };
  }

  #object(message: DescMessage, direction: Direction): JsonSchema {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const field of fieldsOf(message)) {
      const name = jsonNameOf(field);
      properties[name] = this.field(field);
      if (!rulesOf(field).omitted) required.push(name);
    }
    const isStrict = direction === 'request' && !isSettings(message);
    return {
      type: 'object',
      properties,
      ...withRequired(required),
      ...(isStrict ? { additionalProperties: false } : {}),
    };
  }

  #union(message: DescMessage): JsonSchema {
    return {
      oneOf: message.fields.map((field) => {
        if (field.message === undefined) throw new Error(`${field.toString()} is no message`);
        const { properties = {}, required = [] } = this.#object(field.message, 'response');
        return {
          type: 'object',
          properties: { type: { type: 'string', const: field.name }, ...properties },
          required: ['type', ...required],
        };
      }),
    };
  }

  /** The schema of a value that is set. */
  #schemaOf(field: DescField, direction: Direction): JsonSchema {
    const { maxItems, minItems } = rulesOf(field);
    switch (field.fieldKind) {
      case 'message':
        return this.#nested(field.message, direction);
      case 'enum':
        return enumSchema(field, field.enum);
      case 'list':
        return {
          type: 'array',
          items: this.#itemSchema(field, direction),
          ...(minItems === undefined ? {} : { minItems }),
          ...(maxItems === undefined ? {} : { maxItems }),
        };
      case 'map':
        return {
          type: 'object',
          additionalProperties: scalarSchema(field, field.scalar),
          ...(maxItems === undefined ? {} : { maxProperties: maxItems }),
        };
      case 'scalar':
        return scalarSchema(field, field.scalar);
      default:
        return field satisfies never;
    }
  }

  /** A message that only wraps a list is that list. */
  #nested(message: DescMessage, direction: Direction): JsonSchema {
    const wrapped = message.typeName === ANY_OBJECT ? undefined : wrappedField(message);
    return wrapped === undefined ? this.message(message, direction) : this.#schemaOf(wrapped, direction);
  }

  #itemSchema(field: DescField & { fieldKind: 'list' }, direction: Direction): JsonSchema {
    if (field.listKind === 'message') return this.#nested(field.message, direction);
    return field.listKind === 'enum' ? enumSchema(field, field.enum) : scalarSchema(field, field.scalar);
  }
}

/** The fields of a message's JSON. */
function fieldsOf(message: DescMessage): DescField[] {
  return message.fields
    .filter((field) => !rulesOf(field).internal)
    .flatMap((field) => (rulesOf(field).inline && field.message !== undefined ? fieldsOf(field.message) : [field]));
}

function withRequired(required: readonly string[]): Pick<JsonSchema, 'required'> {
  return required.length === 0 ? {} : { required };
}

function orNull(schema: JsonSchema, isNullable: boolean): JsonSchema {
  return isNullable ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function enumSchema(field: DescField, type: Parameters<typeof enumNames>[0]): JsonSchema {
  return { type: 'string', enum: [...enumNames(type).values()].filter((name) => isAllowed(field, name)) };
}

function scalarSchema(field: DescField, type: ScalarType | undefined): JsonSchema {
  const { format, min, max } = rulesOf(field);
  if (format === Format.UUID) return reference('Id');
  if (format === Format.MONEY) return reference('Money');
  if (format === Format.PERCENT) return reference('Percent');
  if (isTime(format)) return reference('Time');
  switch (type) {
    case ScalarType.STRING:
      return textSchema(field);
    case ScalarType.BYTES:
      return { type: 'string' };
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.DOUBLE:
      return { type: 'number', ...bounds('minimum', min), ...bounds('maximum', max) };
    default: {
      const unit = format === Format.DURATION ? 1_000n : 1n;
      // By which generators choose the type.
      const size = max === undefined ? { format: 'int64' } : {};
      return { type: 'integer', ...bounds('minimum', min, unit), ...bounds('maximum', max, unit), ...size };
    }
  }
}

function textSchema(field: DescField): JsonSchema {
  const { format, min, max, pattern, values } = rulesOf(field);
  return {
    type: 'string',
    ...(values.length === 0 ? {} : { enum: values }),
    ...(format === Format.EMAIL ? { format: 'email' } : {}),
    ...(pattern === '' ? {} : { pattern }),
    ...bounds('minLength', format === Format.PASSWORD ? BigInt(MIN_PASSWORD) : min),
    ...bounds('maxLength', max),
  };
}

function bounds(
  name: 'minimum' | 'maximum' | 'minLength' | 'maxLength',
  bound: bigint | undefined,
  unit = 1n,
): JsonSchema {
  return bound === undefined ? {} : { [name]: Number(bound / unit) };
}

function reference(name: keyof typeof SHARED): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
