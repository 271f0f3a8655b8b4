import type { z } from 'zod';
import { formatPath } from '../json/path.ts';
import type { Offsets } from '../json/pieces.ts';
import type { Diagnostic } from './diagnostics.ts';

type Issue = z.core.$ZodIssue;

/**
 * Describes an issue of a schema: where it is, what was expected and what was found, such as
 * `messages[2].content: expected a string or an array, found a number`. Values of the client are not quoted.
 *
 * @param root the value that was checked
 * @param offsets where ranges of lists begin, if it is a piece of a larger value (see piecesOf)
 */
export function describeIssue(issue: Issue, root: unknown, offsets?: Offsets): Diagnostic {
  return describe(issue, root, [], offsets);
}

function describe(issue: Issue, root: unknown, prefix: readonly PropertyKey[], offsets?: Offsets): Diagnostic {
  const path = [...prefix, ...issue.path];
  const nested = issue.code === 'invalid_union' ? closestBranch(issue) : undefined;
  if (nested !== undefined) return describe(nested, root, path, offsets);
  const where = formatPath(offsets === undefined ? path : completePath(path, root, offsets));
  const message = expectation(issue, valueAt(root, path));
  return { path: where, message: where === '' ? message : `${where}: ${message}` };
}

/** The issue of the union branch that matches in kind and fails deeper down, if there is one. */
function closestBranch(issue: z.core.$ZodIssueInvalidUnion): Issue | undefined {
  let closest: Issue | undefined;
  for (const branch of issue.errors) {
    const first = branch[0];
    if (first === undefined) continue;
    const isOther = first.path.length === 0 && (first.code === 'invalid_type' || first.code === 'invalid_value');
    if (!isOther && (closest === undefined || first.path.length > closest.path.length)) closest = first;
  }
  return closest;
}

function expectation(issue: Issue, found: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return found === undefined
        ? 'required, but missing'
        : `expected ${article(issue.expected)}, found ${issue.expected === 'int' && isFraction(found) ? 'a fraction' : kind(found)}`;
    case 'invalid_value':
      return `expected ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_small':
      return `expected ${atBound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `expected ${atBound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'invalid_union':
      return describeUnion(issue, found);
    case 'invalid_format':
    case 'custom':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_key':
    case 'invalid_element':
      return issue.message;
    default:
      return issue satisfies never;
  }
}

function describeUnion(issue: z.core.$ZodIssueInvalidUnion, found: unknown): string {
  if (found === undefined) return 'required, but missing';
  if (issue.discriminator !== undefined) {
    const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
    if (options.length > 0) return `expected ${oneOf(options.map((value) => JSON.stringify(value)))}`;
    return 'has no known value';
  }
  const expected = new Set<string>();
  for (const branch of issue.errors) {
    const first = branch[0];
    if (first?.code === 'invalid_type') expected.add(article(first.expected));
    else if (first?.code === 'invalid_value') for (const value of first.values) expected.add(JSON.stringify(value));
  }
  return `expected ${oneOf([...expected])}, found ${kind(found)}`;
}

function atBound(origin: string, relation: string, bound: number | bigint): string {
  switch (origin) {
    case 'string':
      return `${relation} ${counted(bound, 'character')}`;
    case 'array':
      return `${relation} ${counted(bound, 'element')}`;
    default:
      return `a number of ${relation} ${bound}`;
  }
}

function counted(count: number | bigint, unit: string): string {
  return `${count} ${unit}${Number(count) === 1 ? '' : 's'}`;
}

function oneOf(options: readonly string[]): string {
  return options.length < 2 ? options.join('') : `${options.slice(0, -1).join(', ')} or ${options.at(-1)}`;
}

function article(expected: string): string {
  switch (expected) {
    case 'int':
      return 'an integer';
    case 'array':
      return 'an array';
    case 'object':
    case 'record':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return `a ${expected}`;
  }
}

function kind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  // JSON has no infinity: the number exceeds a double, such as 1e400.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number out of range';
  return article(typeof value);
}

function isFraction(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && !Number.isInteger(value);
}

/** The path in the complete value of a path in a piece of it. */
function completePath(path: readonly PropertyKey[], piece: unknown, offsets: Offsets): PropertyKey[] {
  return path.map((key, i) => {
    const list = valueAt(piece, path.slice(0, i));
    const offset = typeof list === 'object' && list !== null ? offsets.get(list) : undefined;
    return offset === undefined ? key : Number(key) + offset;
  });
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
