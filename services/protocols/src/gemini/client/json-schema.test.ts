import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toJsonSchema } from './json-schema.ts';

test('a schema in Google’s form becomes JSON Schema', () => {
  expect(
    toJsonSchema({
      type: 'OBJECT',
      title: 't',
      propertyOrdering: ['b', 'a'],
      required: ['a'],
      properties: {
        a: { type: 'ARRAY', items: { type: 'INTEGER', format: 'int32' }, minItems: '1', maxItems: '3' },
        type: { type: 'STRING', format: 'enum', enum: ['X'], nullable: true },
        nullable: { anyOf: [{ type: 'NUMBER', minimum: 0 }, { type: 'BOOLEAN' }], nullable: true },
        any: { type: 'TYPE_UNSPECIFIED', example: 5, default: null, description: null },
      },
    }),
  ).toEqual({
    type: 'object',
    title: 't',
    required: ['a'],
    properties: {
      a: { type: 'array', items: { type: 'integer', format: 'int32' }, minItems: 1, maxItems: 3 },
      type: { type: ['string', 'null'], enum: ['X', null] },
      nullable: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'boolean' }, { type: 'null' }] },
      any: { examples: [5], default: null },
    },
  });
});

test('a JSON Schema stays unchanged', () => {
  const schema = {
    type: 'object',
    $defs: { a: { type: 'string' } },
    properties: { x: { $ref: '#/$defs/a' }, y: { type: ['string', 'null'] } },
    additionalProperties: false,
  };
  expect(toJsonSchema(schema)).toEqual(schema);
});

test('never throws', () => {
  const key = fc.constantFrom('type', 'items', 'properties', 'anyOf', 'nullable', 'enum', 'minItems', 'x');
  fc.assert(fc.property(fc.dictionary(key, fc.jsonValue()), (schema) => void toJsonSchema(schema)));
});
