import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

/** The tool that a call, or a piece of one, names, and its input. Anything that is absent is empty. */
export interface Called {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly input: string;
}

/**
 * Reads an element of `tool_calls`. Servers written in Go send the members of the other kinds too, with empty strings, so the kind
 * is that of the member with a value.
 */
export function readCalled(call: JsonRecord): Called {
  const { custom, function: called } = call;
  if (isRecord(custom)) {
    const name = stringOr(custom['name']);
    const input = stringOr(custom['input']);
    if (name !== '' || input !== '' || !isRecord(called)) return { kind: 'custom', name, input };
  }
  return readFunction(recordOr(called));
}

/** Reads a function and its arguments, which some upstreams give as an object. */
export function readFunction({ name, arguments: input }: JsonRecord): Called {
  return { kind: 'function', name: stringOr(name), input: isRecord(input) ? JSON.stringify(input) : stringOr(input) };
}

/** Whether there is nothing in it: a stub, which is no call. */
export function isEmptyCall({ name, input }: Called): boolean {
  return name === '' && input === '';
}
