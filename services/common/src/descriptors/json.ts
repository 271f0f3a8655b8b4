import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf';
import { Format } from '@tollgate/proto/api';
import { formatDollars, formatPercent } from '../money.ts';
import { isSettings, isUnion, messageNamed, rulesOf, wrappedField } from './registry.ts';

type Fields = Readonly<Record<string, unknown>>;
type JsonFields = { [name: string]: unknown };

/** The message of any JSON object. */
export const ANY_OBJECT = 'google.protobuf.Struct';

/**
 * The JSON of a message by the one rule of the management API: names as in the proto file, money as decimal text of dollars,
 * times as RFC 3339, whole numbers as numbers, bytes as hex, and what is absent as null. Internal fields are left out, settings
 * that are absent are an object of nulls, and a message that wraps a list is that list.
 */
export function toJson(message: DescMessage, value: object): JsonFields {
  const fields = value as Fields;
  if (isUnion(message)) return unionToJson(message, fields);
  const json: JsonFields = {};
  for (const field of message.fields) {
    const { internal, inline, omitted } = rulesOf(field);
    const given = fields[field.localName];
    if (internal || (omitted && given === undefined)) continue;
    if (inline && field.message !== undefined) Object.assign(json, toJson(field.message, present(field, given)));
    else json[jsonNameOf(field)] = fieldToJson(field, given);
  }
  return json;
}

/** What is set, with its name as its type. */
function unionToJson(message: DescMessage, fields: Fields): JsonFields {
  const [oneof] = message.oneofs;
  const set = fields[oneof?.localName ?? ''] as { $case: string; value: object } | undefined;
  const field = oneof?.fields.find(({ localName }) => localName === set?.$case);
  if (set === undefined || field?.message === undefined) throw new Error(`${message.typeName}: nothing is set`);
  return { type: field.name, ...toJson(field.message, set.value) };
}

/**
 * How messages of one kind are written as JSON.
 *
 * @param name such as `tollgate.auth.v1.ApiKey`
 */
export function writerOf<T extends object, J>(name: string): (value: T) => J {
  const message = messageNamed(name);
  return (value) => toJson(message, value) as J;
}

/** The name of a field in JSON. */
export function jsonNameOf(field: DescField): string {
  const { name, format } = rulesOf(field);
  if (name !== '') return name;
  const [unit, jsonUnit] = UNITS[format] ?? ['', ''];
  if (!field.name.endsWith(unit)) throw new Error(`${field.toString()}: the name must end with ${unit}`);
  return `${field.name.slice(0, field.name.length - unit.length)}${jsonUnit}`;
}

/** What the names of fields end with in messages and in JSON, by format. */
const UNITS: Partial<Record<Format, [message: string, json: string]>> = {
  [Format.TIME]: ['_ms', ''],
  [Format.FUTURE_TIME]: ['_ms', ''],
  [Format.MONEY]: ['_nanos', ''],
  [Format.DURATION]: ['_ms', '_seconds'],
  [Format.PERCENT]: ['_ppm', '_percent'],
};

/** The JSON of a field that is not inline. */
export function fieldToJson(field: DescField, value: unknown): unknown {
  switch (field.fieldKind) {
    case 'message': {
      if (value === undefined && isSettings(field.message)) return toJson(field.message, {});
      if (value === undefined && rulesOf(field).nullable) return null;
      return messageToJson(field.message, present(field, value));
    }
    case 'list': {
      const { message } = field;
      const items = value as readonly unknown[];
      if (message !== undefined) return items.map((item) => messageToJson(message, item as object));
      return items.map((item) =>
        field.listKind === 'enum' ? enumToJson(field.enum, item) : scalarToJson(field, item),
      );
    }
    case 'map':
      return Object.fromEntries(
        Object.entries(value as Fields).map(([name, each]) => [name, scalarToJson(field, each)]),
      );
    case 'enum':
      return enumToJson(field.enum, value);
    case 'scalar':
      return value === undefined || isNothing(field, value) ? null : scalarToJson(field, value);
    default:
      return field satisfies never;
  }
}

function messageToJson(message: DescMessage, value: object): unknown {
  if (message.typeName === ANY_OBJECT) return value;
  const wrapped = wrappedField(message);
  return wrapped === undefined ? toJson(message, value) : fieldToJson(wrapped, (value as Fields)[wrapped.localName]);
}

function present(field: DescField, value: unknown): object {
  if (typeof value !== 'object' || value === null) throw new Error(`${field.toString()}: is missing`);
  return value;
}

/** Whether an empty text or 0 stands for none. */
export function isNothing(field: DescField, value: unknown): boolean {
  return rulesOf(field).nullable && (value === '' || value === 0 || value === 0n);
}

function enumToJson(type: DescEnum, value: unknown): string | null {
  return enumNames(type).get(value as number) ?? null;
}

/** The JSON of an enumeration's values by their numbers, such as `deleted` for `KEY_STATUS_DELETED`. 0 is not specified, so null. */
export function enumNames(type: DescEnum): ReadonlyMap<number, string> {
  let known = names.get(type);
  if (known === undefined) {
    const specified = type.values.filter(({ number }) => number !== 0);
    known = new Map(specified.map(({ number, localName }) => [number, localName.toLowerCase()]));
    names.set(type, known);
  }
  return known;
}

const names = new WeakMap<DescEnum, ReadonlyMap<number, string>>();

function scalarToJson(field: DescField, value: unknown): unknown {
  const { format } = rulesOf(field);
  if (typeof value === 'bigint') {
    if (isTime(format)) return new Date(Number(value)).toISOString();
    if (format === Format.MONEY) return formatDollars(value);
    return format === Format.DURATION ? Number(value) / 1_000 : Number(value);
  }
  if (format === Format.PERCENT) return formatPercent(Number(value));
  return Buffer.isBuffer(value) ? value.toString('hex') : value;
}

export function isTime(format: Format): boolean {
  return format === Format.TIME || format === Format.FUTURE_TIME;
}
