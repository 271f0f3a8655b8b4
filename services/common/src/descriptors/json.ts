import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { scalarZeroValue } from '@bufbuild/protobuf/reflect';
import { Format } from '@tollgate/proto/api';
import { FULL_DISCOUNT_PPM, formatDollars, formatPercent, parseDollars, parsePercent } from '../money.ts';
import { messageNamed, rulesOf, wrappedField } from './registry.ts';

type Fields = Readonly<Record<string, unknown>>;
type JsonFields = { [name: string]: unknown };

/**
 * The JSON of a message by the one rule of the management API: names as in the proto file, money as decimal text of dollars,
 * times as RFC 3339, whole numbers as numbers, bytes as hex, and what is absent as null. Internal fields are left out, settings
 * that are absent are an object of nulls, and a message that wraps a list is that list.
 */
export function toJson(message: DescMessage, value: object): JsonFields {
  const fields = value as Fields;
  return Object.fromEntries(
    message.fields
      .filter((field) => !rulesOf(field).internal)
      .map((field) => [jsonNameOf(field), fieldToJson(field, fields[field.localName])]),
  );
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
  const [unit, jsonUnit] = UNITS[rulesOf(field).format] ?? ['', ''];
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

/** Whether all fields of a message may be absent. */
export function isSettings(message: DescMessage): boolean {
  return message.fields.every(({ proto }) => proto.proto3Optional);
}

function fieldToJson(field: DescField, value: unknown): unknown {
  switch (field.fieldKind) {
    case 'message': {
      const wrapped = wrappedField(field.message);
      if (value === undefined) return isSettings(field.message) ? toJson(field.message, {}) : null;
      if (wrapped !== undefined) return fieldToJson(wrapped, (value as Fields)[wrapped.localName]);
      return toJson(field.message, value as Fields);
    }
    case 'list': {
      const { message } = field;
      const items = value as readonly unknown[];
      return items.map((item) => (message === undefined ? scalarToJson(field, item) : toJson(message, item as Fields)));
    }
    case 'map':
      return value;
    case 'enum':
      return enumNames(field.enum).get(value as number) ?? null;
    case 'scalar':
      return value === undefined ? null : scalarToJson(field, value);
    default:
      return field satisfies never;
  }
}

/** The JSON of an enumeration's values by their numbers, such as `deleted` for `KEY_STATUS_DELETED`. 0 is not specified, so null. */
export function enumNames({ values }: DescEnum): ReadonlyMap<number, string> {
  const specified = values.filter(({ number }) => number !== 0);
  return new Map(specified.map(({ number, localName }) => [number, localName.toLowerCase()]));
}

function scalarToJson(field: DescField, value: unknown): unknown {
  const { format } = rulesOf(field);
  if (typeof value === 'bigint') {
    if (isTime(format)) return value === 0n ? null : new Date(Number(value)).toISOString();
    if (format === Format.MONEY) return formatDollars(value);
    return format === Format.DURATION ? Number(value) / 1_000 : Number(value);
  }
  if (format === Format.PERCENT) return formatPercent(Number(value));
  return Buffer.isBuffer(value) ? value.toString('hex') : value;
}

export function isTime(format: Format): boolean {
  return format === Format.TIME || format === Format.FUTURE_TIME;
}

/** A value of a request that its field cannot hold. */
export class JsonProblem extends Error {
  /** Such as `caps.day`. */
  readonly field: string;

  constructor(field: string, problem: string) {
    super(problem);
    this.name = 'JsonProblem';
    this.field = field;
  }
}

/**
 * The message of a request in the form of its generated interface, from JSON that its schema has checked. What is left out is
 * what the message has for nothing.
 *
 * @param path of the message in the request, with a dot at its end
 * @throws JsonProblem for an amount that is out of range
 */
export function fromJson(message: DescMessage, json: Fields, path = ''): JsonFields {
  return Object.fromEntries(
    message.fields.map((field) => {
      const name = jsonNameOf(field);
      const given = json[name];
      return [field.localName, given === undefined ? nothingOf(field) : fieldFromJson(field, given, `${path}${name}`)];
    }),
  );
}

function nothingOf(field: DescField): unknown {
  if (field.fieldKind === 'list') return [];
  if (field.fieldKind === 'map') return {};
  if (field.fieldKind === 'message' || field.proto.proto3Optional) return undefined;
  return field.fieldKind === 'enum' ? 0 : scalarZeroValue(field.scalar, false);
}

function fieldFromJson(field: DescField, given: unknown, path: string): unknown {
  if (field.fieldKind === 'scalar') return scalarFromJson(field, given, path);
  if (field.fieldKind === 'enum') return numberOf(field.enum, given);
  if (field.fieldKind !== 'message') return given;
  const wrapped = wrappedField(field.message);
  if (wrapped !== undefined) return { [wrapped.localName]: given };
  return given === null ? undefined : fromJson(field.message, given as Fields, `${path}.`);
}

/** The number of a value that the schema has allowed. */
function numberOf(type: DescEnum, given: unknown): number {
  for (const [number, name] of enumNames(type)) if (name === given) return number;
  return 0;
}

function scalarFromJson(field: DescField, given: unknown, path: string): unknown {
  const { format } = rulesOf(field);
  if (isTime(format)) return given === null ? 0n : BigInt(Date.parse(String(given)));
  if (given === null) return undefined;
  if (format === Format.MONEY) return readAmount(String(given), path);
  if (format === Format.DURATION) return BigInt(Number(given)) * 1_000n;
  if (format === Format.PERCENT) return readPercent(String(given), path);
  return field.scalar === ScalarType.INT64 ? BigInt(Number(given)) : given;
}

function readPercent(text: string, path: string): number {
  const ppm = parsePercent(text);
  if (ppm !== undefined && ppm <= FULL_DISCOUNT_PPM) return ppm;
  throw new JsonProblem(path, 'must be 0 to 100, with at most 4 decimals');
}

/**
 * Nano-dollars of an amount in JSON.
 *
 * @param path of the field
 * @throws JsonProblem if it is out of range
 */
export function readAmount(text: string, path: string): bigint {
  const nanos = parseDollars(text);
  if (nanos !== undefined) return nanos;
  throw new JsonProblem(path, 'must be a decimal amount with at most 9 digits before and 9 after the point');
}
