import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../json/record.ts';
import { closedSchema, openAiStrictSchema } from './strict-schema.ts';

const TEXT: JsonRecord = { type: 'string' };
const open = (properties: JsonRecord, more: JsonRecord = {}): JsonRecord => ({ type: 'object', properties, ...more });
const shut = (properties: JsonRecord, more: JsonRecord = {}): JsonRecord => ({
  ...open(properties, more),
  additionalProperties: false,
});

describe('closedSchema', () => {
  test('closes objects at any level', () => {
    const around = (inner: JsonRecord, self: typeof open): JsonRecord =>
      self({ a: { type: 'array', items: inner }, b: { anyOf: [inner, { type: 'null' }] } }, { $defs: { c: inner } });
    expect(closedSchema(around(open({ x: TEXT }), open))).toEqual(around(shut({ x: TEXT }), shut));
  });

  test.each([
    ['one that says nothing of others', open({ a: TEXT })],
    ['one that allows any others', open({ a: TEXT }, { additionalProperties: true })],
    ['one that may be null', { ...open({ a: TEXT }), type: ['object', 'null'] }],
    ['one that only lists', { properties: { a: TEXT } }],
  ])('closes %s', (_, schema) => {
    expect(closedSchema(schema)).toEqual({ ...schema, additionalProperties: false });
  });

  test('treats a property as such, whatever its name', () => {
    expect(closedSchema(open({ properties: TEXT, items: TEXT }))).toEqual(shut({ properties: TEXT, items: TEXT }));
  });

  test.each([
    ['any object', { type: 'object' }],
    ['a map', { type: 'object', additionalProperties: TEXT }],
    ['a map within', open({ a: { type: 'object', additionalProperties: TEXT } })],
    ['several at once', { allOf: [open({ a: TEXT }), open({ b: TEXT })] }],
  ])('closes no schema of %s', (_, schema) => {
    expect(closedSchema(schema)).toBeUndefined();
  });
});

describe('strictSchema', () => {
  test('closes objects that require all their properties', () => {
    const schema = open({ a: open({}) }, { required: ['a'] });
    expect(openAiStrictSchema(schema)).toEqual(shut({ a: shut({}) }, { required: ['a'] }));
  });

  test.each([
    ['leaves something up to the model', shut({ a: TEXT })],
    ['leaves something within up to the model', shut({ a: shut({ b: TEXT }) }, { required: ['a'] })],
    ['is no object', { type: 'array', items: TEXT }],
    ['is one of several', { type: 'object', anyOf: [shut({})] }],
    ['has a rule of another kind', shut({ a: { not: TEXT } }, { required: ['a'] })],
  ])('is undefined if the schema %s', (_, schema) => {
    expect(openAiStrictSchema(schema)).toBeUndefined();
  });
});
