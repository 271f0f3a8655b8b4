import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { type FieldRules, Format } from '@tollgate/proto/api';
import { RpcError } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { methodNamed, rulesOf, wrappedField } from './registry.ts';

const TAG_NAME = /^[A-Za-z][A-Za-z0-9._/:-]{0,63}$/;
/** The last millisecond of the year 9999. */
const LAST_TIME_MS = 253_402_300_799_999n;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Checks the requests of a method by the rules of their fields. The first problem is INVALID_ARGUMENT and names its field:
 * `caps.day_nanos: must not be negative`.
 *
 * @param method its full name, such as `tollgate.auth.v1.AuthService/CreateKey`
 */
export function requestCheck(method: string): (request: object, nowMs: number) => void {
  const { input } = methodNamed(method);
  return (request, nowMs) => checkMessage(input, request as Fields, '', nowMs);
}

function checkMessage(message: DescMessage, fields: Fields, path: string, nowMs: number): void {
  for (const field of message.fields) {
    // A union is checked by its handler. An absent field is one that is not set.
    const value = field.oneof === undefined ? fields[field.localName] : undefined;
    if (value !== undefined) checkField(field, value, `${path}${field.name}`, nowMs);
  }
}

function checkField(field: DescField, value: unknown, path: string, nowMs: number): void {
  const rules = rulesOf(field);
  const check = (each: unknown, of: string) => refuse(of, problemOf(each, rules, nowMs));
  switch (field.fieldKind) {
    case 'message': {
      const wrapped = wrappedField(field.message);
      const nested = value as Fields;
      if (wrapped === undefined) checkMessage(field.message, nested, `${path}.`, nowMs);
      else checkField(wrapped, nested[wrapped.localName], path, nowMs);
      return;
    }
    case 'scalar':
      check(value, path);
      return;
    case 'list': {
      const items = value as readonly unknown[];
      checkSize(path, items.length, rules);
      for (const [index, item] of items.entries()) check(item, `${path}[${index}]`);
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

function checkSize(path: string, count: number, { maxItems }: FieldRules): void {
  if (maxItems !== undefined && count > maxItems) refuse(path, `must have at most ${maxItems} items`);
}

function refuse(path: string, problem: string | undefined): void {
  if (problem !== undefined) throw new RpcError('invalid_argument', `${path}: ${problem}`);
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

function textProblem(value: string, { format, min = 0n, max }: FieldRules): string | undefined {
  const isWithin = value.length >= min && (max === undefined || value.length <= max);
  const problem = isWithin ? undefined : lengthProblem(min, max);
  return problem ?? formatProblem(format, value);
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
