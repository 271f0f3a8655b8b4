import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { type FieldRules, Format } from '@tollgate/proto/api';
import { RpcError } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { ANY_OBJECT, isNothing, jsonNameOf } from './json.ts';
import { FieldProblem } from './problem.ts';
import { isEmail } from './read-json.ts';
import { methodNamed, rulesOf, wrappedField } from './registry.ts';

const TAG_NAME = /^[A-Za-z][A-Za-z0-9._/:-]{0,63}$/;
/** The last millisecond of the year 9999. */
const LAST_TIME_MS = 253_402_300_799_999n;
/** Length is what counts: https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver */
export const MIN_PASSWORD = 12;

type Fields = Readonly<Record<string, unknown>>;

interface Context {
  nowMs: number;
  /** How a problem names a field. */
  nameOf: (field: DescField) => string;
}

/**
 * Checks the requests of a method by the rules of their fields. The first problem is INVALID_ARGUMENT and names its field:
 * `caps.day_nanos: must not be negative`.
 *
 * @param method its full name, such as `tollgate.auth.v1.AuthService/CreateKey`
 */
export function requestCheck(method: string): (request: object, nowMs: number) => void {
  const { input } = methodNamed(method);
  return (request, nowMs) => {
    try {
      checkMessage(input, request as Fields, '', { nowMs, nameOf: ({ name }) => name });
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      throw new RpcError('invalid_argument', `${error.field}: ${error.message}`);
    }
  };
}

/**
 * The same check of a request that was read from JSON.
 *
 * @throws FieldProblem in the names of the JSON
 */
export function checkRequest(input: DescMessage, request: object, nowMs: number): void {
  checkMessage(input, request as Fields, '', { nowMs, nameOf: jsonNameOf });
}

function checkMessage(message: DescMessage, fields: Fields, path: string, context: Context): void {
  if (message.typeName === ANY_OBJECT) return;
  for (const field of message.fields) {
    // A union is checked by its handler. An absent field is one that is not set.
    const value = field.oneof === undefined ? fields[field.localName] : undefined;
    if (value !== undefined) checkField(field, value, path, context);
  }
}

function checkField(field: DescField, value: unknown, place: string, context: Context): void {
  const rules = rulesOf(field);
  if (rules.inline && field.message !== undefined) checkMessage(field.message, value as Fields, place, context);
  else checkValue(field, value, `${place}${context.nameOf(field)}`, context);
}

function checkValue(field: DescField, value: unknown, path: string, context: Context): void {
  const rules = rulesOf(field);
  const check = (each: unknown, of: string) => refuse(of, problemOf(each, rules, context.nowMs));
  switch (field.fieldKind) {
    case 'message': {
      const wrapped = wrappedField(field.message);
      const nested = value as Fields;
      if (wrapped === undefined) checkMessage(field.message, nested, `${path}.`, context);
      else checkValue(wrapped, nested[wrapped.localName], path, context);
      return;
    }
    case 'scalar':
      // Where none is allowed, nothing else applies to it.
      if (!isNothing(field, value)) check(value, path);
      return;
    case 'list': {
      const items = value as readonly unknown[];
      checkSize(path, items.length, rules);
      const { message } = field;
      for (const [index, item] of items.entries()) {
        if (message === undefined) check(item, `${path}[${index}]`);
        else checkMessage(message, item as Fields, `${path}[${index}].`, context);
      }
      return;
    }
    case 'map': {
      const entries = Object.entries(value as Fields);
      checkSize(path, entries.length, rules);
      for (const [name, item] of entries) {
        refuse(path, formatProblem(rules.nameFormat, name));
        check(item, `${path}.${name}`);
      }
      return;
    }
    case 'enum':
      return;
    default:
      field satisfies never;
  }
}

function checkSize(path: string, count: number, { minItems, maxItems }: FieldRules): void {
  if (minItems !== undefined && count < minItems) refuse(path, 'must not be empty');
  if (maxItems !== undefined && count > maxItems) refuse(path, `must have at most ${maxItems} items`);
}

function refuse(path: string, problem: string | undefined): void {
  if (problem !== undefined) throw new FieldProblem(path, problem);
}

/** What is wrong with a value; undefined: nothing. */
function problemOf(value: unknown, rules: FieldRules, nowMs: number): string | undefined {
  if (typeof value === 'string') return textProblem(value, rules);
  if (typeof value === 'bigint' || typeof value === 'number') return numberProblem(value, rules, nowMs);
  return undefined;
}

function numberProblem(value: bigint | number, { format, min, max }: FieldRules, nowMs: number): string | undefined {
  if (format === Format.FUTURE_TIME) {
    const isFuture = value > nowMs && value <= LAST_TIME_MS;
    return isFuture || Number(value) === 0 ? undefined : 'must be in the future';
  }
  const isWithin = (min === undefined || value >= min) && (max === undefined || value <= max);
  if (isWithin) return undefined;
  if (max !== undefined) return `must be ${min ?? 'at most'}${min === undefined ? ' ' : ' to '}${max}`;
  return min === 0n ? 'must not be negative' : `must be at least ${min}`;
}

function textProblem(value: string, rules: FieldRules): string | undefined {
  const { format, min = 0n, max, pattern, problem } = rules;
  const isWithin = value.length >= min && (max === undefined || value.length <= max);
  if (!isWithin) return lengthProblem(min, max);
  if (pattern !== '' && !new RegExp(pattern).test(value)) return problem;
  return formatProblem(format, value);
}

function lengthProblem(min: bigint, max: bigint | undefined): string {
  if (max === undefined) return `must have at least ${min} characters`;
  return min === 0n ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`;
}

function formatProblem(format: Format, value: string): string | undefined {
  switch (format) {
    case Format.UUID:
      return value === '' || isUuid(value) ? undefined : 'must be a UUID';
    case Format.PLAIN_TEXT:
      return value.trim() === '' || hasControl(value)
        ? 'must not be only spaces, and have no control characters'
        : undefined;
    case Format.TAG_NAME:
      return TAG_NAME.test(value)
        ? undefined
        : 'a name must have 1 to 64 letters, digits and . _ - / : and begin with a letter';
    case Format.TAG_VALUE:
      return hasControl(value) ? 'must have no control characters' : undefined;
    case Format.EMAIL:
      return isEmail(value) ? undefined : 'must be an e-mail address';
    case Format.PASSWORD:
      if (value.length < MIN_PASSWORD) return `must have at least ${MIN_PASSWORD} characters`;
      return isEmail(value) ? 'must not be an e-mail address' : undefined;
    case Format.UNSPECIFIED:
    case Format.TIME:
    case Format.FUTURE_TIME:
    case Format.MONEY:
    case Format.DURATION:
    case Format.MEMBER_ROLE:
    case Format.PERCENT:
      return undefined;
    default:
      return format satisfies never;
  }
}

/** Whether a text has control characters of ASCII. */
export function hasControl(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
