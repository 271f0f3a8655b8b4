import { createHash } from 'node:crypto';
import { parseLosslessObject } from '../json/lossless.ts';
import type { JsonRecord } from '../json/record.ts';

/** The member for an input that is not a JSON object, where the protocol cannot carry it otherwise. */
export const INVALID_INPUT_KEY = 'INVALID_JSON';

/**
 * A tool call's input for protocols in which it is an object. A model may have written no valid one: it is carried as
 * a text then, so that the model sees in the next turn what it did. Numbers keep their digits.
 */
export function inputObject(input: string): JsonRecord {
  if (input.trim() === '') return {};
  return parseLosslessObject(input) ?? { [INVALID_INPUT_KEY]: input };
}

/** The input's text, of an object that was read by parseLosslessObject or made here. */
export function inputText(input: JsonRecord): string {
  const keys = Object.keys(input);
  const invalid = keys.length === 1 ? input[INVALID_INPUT_KEY] : undefined;
  return typeof invalid === 'string' ? invalid : JSON.stringify(input);
}

/** What a provider takes as the id of a tool call. */
export interface ToolIdRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

const HASH_CHARACTERS = 32;

/**
 * The id towards a provider that does not take every text. One it takes stays; another is replaced by a hash of it, so
 * that a call and its result, and the same call in the next turn, come out alike. The rule must allow `call_` and small
 * hexadecimal digits.
 */
export function providerToolId(id: string, rule: ToolIdRule): string {
  if (id.length <= rule.maxLength && rule.pattern.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, HASH_CHARACTERS);
  return `call_${hash}`.slice(0, rule.maxLength);
}
