import type { Diagnostic } from '../../../request/diagnostics.ts';
import { MAX_INPUTS } from '../shared/schema.ts';

export type InputResult =
  | { readonly ok: true; readonly contents: readonly InputContent[] }
  | { readonly ok: false; readonly error: Diagnostic };

/** A text or tokens, and their path. */
export interface InputContent {
  readonly content: string | readonly number[];
  readonly at: string;
}

/** Parses `input`: a text, several, the tokens of one, or those of several. */
export function parseInput(input: unknown): InputResult {
  if (input === undefined) return invalid('input', 'required, but missing');
  if (typeof input === 'string') return collect([[input, 'input']], isText);
  if (!Array.isArray(input)) return invalid('input', 'expected a string or an array');
  const elements: readonly unknown[] = input;
  if (typeof elements[0] === 'number') return collect([[elements, 'input']], isTokens);
  if (elements.length === 0) return invalid('input', 'must not be empty');
  if (elements.length > MAX_INPUTS) return invalid('input', `expected at most ${MAX_INPUTS} elements`);
  const placed = elements.map((element, index): [unknown, string] => [element, `input[${index}]`]);
  return collect(placed, typeof elements[0] === 'string' ? isText : isTokens);
}

type Check = (value: unknown) => value is InputContent['content'];

function collect(placed: readonly (readonly [unknown, string])[], check: Check): InputResult {
  const contents: InputContent[] = [];
  for (const [content, at] of placed) {
    if (!check(content)) return invalid(at, problemOf(content, check));
    if (content.length === 0) return invalid(at, 'must not be empty');
    contents.push({ content, at });
  }
  return { ok: true, contents };
}

function problemOf(value: unknown, check: Check): string {
  if (check === isText) return 'expected a string, like the other elements';
  return Array.isArray(value) ? 'expected tokens: integers of at least 0' : 'expected a string or an array of tokens';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTokens(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((token) => Number.isSafeInteger(token) && token >= 0);
}

function invalid(path: string, problem: string): InputResult {
  return { ok: false, error: { path, message: `${path}: ${problem}` } };
}
