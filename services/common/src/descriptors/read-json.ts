import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { scalarZeroValue } from '@bufbuild/protobuf/reflect';
import { Format } from '@tollgate/proto/api';
import { lowerCaseAscii } from '../ascii.ts';
import { isUuid } from '../ids.ts';
import { FULL_DISCOUNT_PPM, formatPercent, parseDollars, parsePercent } from '../money.ts';
import { ANY_OBJECT, enumNames, isTime, jsonNameOf } from './json.ts';
import { FieldProblem } from './problem.ts';
import { isSettings, rulesOf, wrappedField } from './registry.ts';

type JsonFields = { [name: string]: unknown };
type JsonObject = Readonly<Record<string, unknown>>;

/** Where a value is in a request. */
interface Place {
  /** Of a message, with a dot at its end; empty: it is the request. */
  path: string;
  /** Values are texts, as in a path or query. */
  isText: boolean;
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/;
/** Not an RFC 5322 parser: what a mail server would take. */
const EMAIL = /^[A-Za-z0-9_'+-]+(\.[A-Za-z0-9_'+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/;
const MAX_EMAIL = 254;
/** Of the texts of amounts and shares. */
const MONEY = /^-?\d{1,10}(\.\d{1,9})?$/;
export const MONEY_PATTERN = MONEY.source;
export const PERCENT_PATTERN = '^-?\\d{1,4}(\\.\\d{1,4})?$';

export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL && EMAIL.test(text);
}

/**
 * Fields of a request in the form of its generated interface, from JSON or from the texts of a path or query. What is left out
 * is what the message has for nothing. Bounds are for `checkRequest`.
 *
 * @throws FieldProblem in the names of the JSON
 */
export function readFields(fields: readonly DescField[], json: unknown, isText = false): JsonFields {
  return readObject(fields, json, { path: '', isText });
}

function readObject(fields: readonly DescField[], json: unknown, place: Place): JsonFields {
  if (!isObject(json)) throw new FieldProblem(place.path.slice(0, -1) || 'body', 'must be an object');
  const known = new Set(fields.flatMap(namesOf));
  for (const name of Object.keys(json)) if (!known.has(name)) throw new FieldProblem(`${place.path}${name}`, 'unknown');
  return readKnown(fields, json, place);
}

function readKnown(fields: readonly DescField[], json: JsonObject, place: Place): JsonFields {
  return Object.fromEntries(
    fields.map((field) => {
      const inlined = inlinedIn(field);
      if (inlined !== undefined) return [field.localName, readKnown(inlined.fields, json, place)];
      const name = jsonNameOf(field);
      const given = Object.hasOwn(json, name) ? json[name] : undefined;
      const path = `${place.path}${name}`;
      return [
        field.localName,
        given === undefined ? readAbsent(field, path, place) : readField(field, given, path, place),
      ];
    }),
  );
}

function namesOf(field: DescField): string[] {
  return inlinedIn(field)?.fields.flatMap(namesOf) ?? [jsonNameOf(field)];
}

function inlinedIn(field: DescField): DescMessage | undefined {
  return rulesOf(field).inline ? field.message : undefined;
}

/** What a request has that leaves a field out. Messages inside of it are whole, but for settings, whose absence is none. */
function readAbsent(field: DescField, path: string, place: Place): unknown {
  const rules = rulesOf(field);
  if (rules.default !== '') return readField(field, rules.default, path, { ...place, isText: true });
  const isSetting = field.proto.proto3Optional;
  if (rules.required || (place.path !== '' && !isSetting)) throw new FieldProblem(path, 'required');
  return nothingOf(field);
}

/** What a message has for a field that is not set. */
export function nothingOf(field: DescField): unknown {
  if (field.fieldKind === 'list') return [];
  if (field.fieldKind === 'map') return {};
  if (field.fieldKind === 'message' || field.proto.proto3Optional) return undefined;
  return field.fieldKind === 'enum' ? 0 : scalarZeroValue(field.scalar, false);
}

function readField(field: DescField, given: unknown, path: string, place: Place): unknown {
  if (given === null) return readNull(field, path, place);
  switch (field.fieldKind) {
    case 'scalar':
      return readScalar(field, given, path, place.isText);
    case 'enum':
      return readEnum(field, field.enum, given, path);
    case 'message': {
      const wrapped = wrappedField(field.message);
      if (wrapped !== undefined) return { [wrapped.localName]: readField(wrapped, given, path, place) };
      return readMessage(field.message, given, path);
    }
    case 'list': {
      if (!Array.isArray(given)) throw new FieldProblem(path, 'must be a list');
      return given.map((item: unknown, index) => readItem(field, item, `${path}[${index}]`));
    }
    case 'map': {
      if (!isObject(given)) throw new FieldProblem(path, 'must be an object');
      for (const [name, each] of Object.entries(given)) requireText(each, `${path}.${name}`);
      return given;
    }
    default:
      return field satisfies never;
  }
}

/** Null for none, where the field can be that. */
function readNull(field: DescField, path: string, { path: message }: Place): unknown {
  const { nullable } = rulesOf(field);
  const isSetting = message !== '' && field.proto.proto3Optional;
  if (!nullable && !isSetting) throw new FieldProblem(path, 'must not be null');
  // Of a change, null removes what is set, and an absent field leaves it.
  return nullable && field.fieldKind === 'scalar' ? scalarZeroValue(field.scalar, false) : nothingOf(field);
}

function readItem(field: DescField & { fieldKind: 'list' }, item: unknown, path: string): unknown {
  if (field.listKind === 'message') return readMessage(field.message, item, path);
  if (field.listKind === 'enum') return readEnum(field, field.enum, item, path);
  return readScalar(field, item, path, false);
}

function readMessage(message: DescMessage, given: unknown, path: string): unknown {
  const place = { path: `${path}.`, isText: false };
  if (message.typeName !== ANY_OBJECT && !isSettings(message)) return readObject(message.fields, given, place);
  if (!isObject(given)) throw new FieldProblem(path, 'must be an object');
  // Responses have settings too, so that a client may send what it has got from a later version.
  return message.typeName === ANY_OBJECT ? given : readKnown(message.fields, given, place);
}

function readEnum(field: DescField, type: DescEnum, given: unknown, path: string): number {
  const allowed = [...enumNames(type)].filter(([, name]) => isAllowed(field, name));
  const found = allowed.find(([, name]) => name === given);
  if (found !== undefined) return found[0];
  throw new FieldProblem(path, oneOf(allowed.map(([, name]) => name)));
}

/** Whether a field may have a value of its enumeration. */
export function isAllowed(field: DescField, name: string): boolean {
  return rulesOf(field).format !== Format.MEMBER_ROLE || name !== 'operator';
}

function oneOf(values: readonly string[]): string {
  return `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;
}

function readScalar(field: DescField, given: unknown, path: string, isText: boolean): unknown {
  const { format } = rulesOf(field);
  if (isTime(format)) return BigInt(readTime(given, path));
  if (format === Format.MONEY) return readAmount(requireText(given, path), path);
  if (format === Format.PERCENT) return readPercent(field, requireText(given, path), path);
  switch (field.scalar) {
    case ScalarType.STRING:
      return readText(field, requireText(given, path), path);
    case ScalarType.BOOL:
      if (typeof given === 'boolean') return given;
      throw new FieldProblem(path, 'must be true or false');
    case ScalarType.DOUBLE:
      if (typeof given === 'number') return given;
      throw new FieldProblem(path, 'must be a number');
    default: {
      const number = isText && /^-?\d{1,15}$/.test(String(given)) ? Number(given) : given;
      if (!Number.isSafeInteger(number)) throw new FieldProblem(path, 'must be a whole number');
      const unit = format === Format.DURATION ? 1_000n : 1n;
      return field.scalar === ScalarType.INT64 ? BigInt(number as number) * unit : number;
    }
  }
}

function readText(field: DescField, text: string, path: string): string {
  const { format, values } = rulesOf(field);
  if (values.length > 0 && !values.includes(text)) throw new FieldProblem(path, oneOf(values));
  if (format === Format.PLAIN_TEXT) return text.trim();
  if (format === Format.EMAIL) return lowerCaseAscii(text.trim());
  if (format === Format.UUID && !isUuid(text)) throw new FieldProblem(path, 'must be a UUID');
  return text;
}

function requireText(given: unknown, path: string): string {
  if (typeof given === 'string') return given;
  throw new FieldProblem(path, 'must be a text');
}

function readTime(given: unknown, path: string): number {
  const ms = typeof given === 'string' && RFC_3339.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new FieldProblem(path, 'must be a time such as 2026-01-31T00:00:00Z');
}

function readPercent(field: DescField, text: string, path: string): number {
  const { min = 0n, max = BigInt(FULL_DISCOUNT_PPM) } = rulesOf(field);
  const ppm = parsePercent(text);
  if (ppm !== undefined && ppm >= min && ppm <= max) return ppm;
  const bounds = `${formatPercent(Number(min))} to ${formatPercent(Number(max))}`;
  throw new FieldProblem(path, `must be ${bounds}, with at most 4 decimals`);
}

/** Nano-dollars of an amount in JSON. */
export function readAmount(text: string, path: string): bigint {
  const nanos = MONEY.test(text) ? parseDollars(text) : undefined;
  if (nanos !== undefined) return nanos;
  throw new FieldProblem(path, 'must be a decimal amount with at most 9 digits before and 9 after the point');
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
