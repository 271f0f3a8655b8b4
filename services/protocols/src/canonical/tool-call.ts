import { createHash } from 'node:crypto';
import { parseLosslessObject } from '../json/lossless.ts';
import type { JsonRecord } from '../json/record.ts';

/** The member for an input that is not a JSON object, where the protocol cannot carry it otherwise. */
export const INVALID_INPUT_KEY = 'INVALID_JSON';

/**
 * A tool call's input for protocols in which it is an object. Invalid JSON of a model is kept as a text, so that the
 * model sees it in the next turn. Numbers keep their digits.
 */
export function inputObject(input: string): JsonRecord {
  if (input.trim() === '') return {};
  return parseLosslessObject(input) ?? { [INVALID_INPUT_KEY]: input };
}

/** The input's text, from an object of parseLosslessObject or inputObject. */
export function inputText(input: JsonRecord): string {
  const keys = Object.keys(input);
  const invalid = keys.length === 1 ? input[INVALID_INPUT_KEY] : undefined;
  return typeof invalid === 'string' ? invalid : JSON.stringify(input);
}

/** A provider's rule for ids of tool calls. */
export interface ToolIdRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

const HASH_CHARACTERS = 32;

/**
 * The id for a provider with such a rule. A valid id stays; an invalid one is replaced by its hash, so that a call and
 * its result, and the same call in the next turn, have the same id. The rule must allow `call_` and lowercase
 * hexadecimal digits.
 */
export function providerToolId(id: string, rule: ToolIdRule): string {
  if (id.length <= rule.maxLength && rule.pattern.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, HASH_CHARACTERS);
  return `call_${hash}`.slice(0, rule.maxLength);
}
