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
