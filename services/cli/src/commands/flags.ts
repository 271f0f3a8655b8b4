import { InvalidArgumentError, Option } from 'commander';
import { components, type Field } from '../api/operations.ts';
import { itemsOf, propertiesOf, type Resolved, resolve } from '../api/schema.ts';
import { duration, entry, integer, matching, time } from '../terminal/arguments.ts';
import { UsageFailure } from '../terminal/failure.ts';

/** An option of a command, and what it sets in a request. */
export interface Flag {
  option: Option;
  set: (request: Record<string, unknown>, value: unknown) => void;
}

/** Shorter names of fields. */
const NAMES: Readonly<Record<string, string>> = { allowed_models: 'models', expires_at: 'expires' };
/** What stands before the fields of a group of settings. */
const GROUPS: Readonly<Record<string, string>> = { caps: 'cap-', limits: '' };

/**
 * The options by which a field is given: one, one for each field of a group of settings, and, where a request may leave the field
 * as it is, one that removes it.
 */
export function flagsOf(field: Field, { canRemove }: { canRemove: boolean }): Flag[] {
  const resolved = resolve(field.schema, components());
  const group = propertiesOf(resolved.schema);
  const given = group.length === 0 ? [flagOf(field, resolved)] : group.map((part) => partOf(field, part, group));
  if (canRemove && resolved.schema.type === 'boolean') given.push(offOf(field));
  const removed = emptyOf(resolved, group);
  return canRemove && removed !== undefined ? [...given, removalOf(field, removed)] : given;
}

function flagOf({ name, description = '' }: Field, resolved: Resolved): Flag {
  const { flag, placeholder, parse, isRepeated } = formOf(name, resolved);
  const text = [description, isRepeated ? 'Repeatable.' : ''].filter((part) => part !== '').join(' ');
  const option = new Option(placeholder === '' ? `--${flag}` : `--${flag} <${placeholder}>`, text);
  if (resolved.schema.enum !== undefined) option.choices(resolved.schema.enum.map(String));
  else if (parse !== undefined) option.argParser<unknown>(parse);
  return { option, set: (request, value) => Object.assign(request, { [name]: value }) };
}

/** The flag of a field of a group, which is given as a whole: the others become null. */
function partOf(
  { name: of }: Field,
  [name, schema]: [string, Field['schema']],
  group: readonly [string, unknown][],
): Flag {
  const resolved = resolve(schema, components());
  const { flag, placeholder, parse } = formOf(name, resolved);
  const long = `--${GROUPS[of] ?? `${kebab(of)}-`}${flag} <${placeholder}>`;
  const option = new Option(long, `${rangeOf(resolved)}. Replaces all ${of}.`);
  return {
    option: parse === undefined ? option : option.argParser<unknown>(parse),
    set: (request, value) => {
      const none = Object.fromEntries(group.map(([each]) => [each, null]));
      request[of] = { ...none, ...(request[of] as object | undefined), [name]: value };
    },
  };
}

function removalOf({ name }: Field, removed: unknown): Flag {
  const flag = kebab(NAMES[name] ?? name).replace(/-id$/, '');
  const option = new Option(`--without-${flag}`, removed === null ? 'Set none.' : `Remove all ${NAMES[name] ?? name}.`);
  return {
    option,
    set: (request) => {
      if (name in request) throw new UsageFailure(`${option.long} cannot be combined with new values`);
      request[name] = removed;
    },
  };
}

/** The option that switches a field off. */
function offOf({ name }: Field): Flag {
  const option = new Option(`--no-${kebab(name)}`, 'Switch it off.');
  return { option, set: (request) => Object.assign(request, { [name]: false }) };
}

/** What stands for nothing; undefined: the field has no such value. */
function emptyOf({ schema, nullable }: Resolved, group: readonly [string, unknown][]): unknown {
  if (group.length > 0) return Object.fromEntries(group.map(([name]) => [name, null]));
  if (schema.type === 'array') return [];
  if (schema.type === 'object') return {};
  return nullable ? null : undefined;
}

/** Reads the text of a field that is an argument. */
export function parserOf({ name, schema }: Field): (text: string) => unknown {
  const resolved = resolve(schema, components());
  const { parse } = formOf(name, resolved);
  const choices = resolved.schema.enum?.map(String);
  return (text) => {
    if (choices !== undefined && !choices.includes(text))
      throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`);
    return parse === undefined ? text : parse(text, undefined);
  };
}

/** Reads a text; a repeated one with what was read before. */
type Parser = (text: string, before: unknown) => unknown;

interface Form {
  flag: string;
  /** Empty: the flag stands for itself. */
  placeholder: string;
  parse?: Parser;
  isRepeated?: boolean;
}

/** How a value is written. */
function formOf(field: string, resolved: Resolved): Form {
  const { schema, name } = resolved;
  const flag = kebab(NAMES[field] ?? field).replace(/-(at|id)$/, '');
  const items = itemsOf(schema);
  if (items !== undefined) {
    const item = formOf(flag.replace(/s$/, ''), resolve(items, components()));
    const parse: Parser = (text, before) => [
      ...(Array.isArray(before) ? before : []),
      item.parse?.(text, undefined) ?? text,
    ];
    return { ...item, parse, isRepeated: true };
  }
  if (schema.format === 'date-time') return { flag, placeholder: 'time', parse: time };
  if (name === 'Money') {
    const message = 'It must be a decimal number of dollars with at most nine decimals, such as 10.50.';
    return { flag, placeholder: 'dollars', parse: matching(new RegExp(schema.pattern ?? ''), message) };
  }
  switch (schema.type) {
    case 'boolean':
      return { flag, placeholder: '' };
    case 'integer': {
      const read = integer(schema.minimum ?? Number.MIN_SAFE_INTEGER, schema.maximum ?? Number.MAX_SAFE_INTEGER);
      if (!field.endsWith('_seconds')) return { flag, placeholder: 'count', parse: read };
      return {
        flag: flag.replace(/-seconds$/, ''),
        placeholder: 'duration',
        parse: (text) => read(String(duration(text))),
      };
    }
    case 'object':
      return {
        flag: flag.replace(/s$/, ''),
        placeholder: 'name=value',
        parse: entry,
        isRepeated: true,
      };
    default: {
      const parse =
        schema.format === 'uuid'
          ? matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'It must be a UUID.')
          : schema.pattern === undefined
            ? undefined
            : matching(new RegExp(schema.pattern), `It must match ${schema.pattern}.`);
      const placeholder = schema.format === 'uuid' ? 'id' : (name ?? 'text').toLowerCase();
      return { flag, placeholder, ...(parse === undefined ? {} : { parse }) };
    }
  }
}

function rangeOf({ schema: { type, minimum, maximum } }: Resolved): string {
  return type === 'integer' ? `From ${minimum ?? 0} to ${maximum ?? 'any'}` : 'An exact amount';
}

export function kebab(name: string): string {
  return name.replaceAll('_', '-');
}
