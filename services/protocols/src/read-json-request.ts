import type { z } from 'zod';
import type { FieldNote } from './field-note.ts';
import { describeIssue } from './json/issue.ts';
import type { JsonObject } from './json/object.ts';
import { scanObject } from './json/scan.ts';

/** Deepest nesting of a request body. JSON Schemas of tools are what nests most. */
export const MAX_REQUEST_DEPTH = 64;

/**
 * Most JSON values of a request body, keys not counted. The longest conversations have some tens of thousands; without a
 * limit a body of a few bytes a value would keep the process from all others for seconds.
 */
export const MAX_REQUEST_VALUES = 200_000;

/** A request that is well formed, with the text it was read from. */
export type JsonRequestResult<T> =
  | { readonly ok: true; readonly object: JsonObject; readonly request: T }
  | { readonly ok: false; readonly error: FieldNote };

/**
 * Reads a client's JSON body: one object without duplicate keys, within the limits above, of the schema's types. The
 * schema must change nothing (no defaults, no transforms), and allow unknown members.
 *
 * @param within keys of top-level members whose own members are to be found in the text, for editing them in place
 * @param maxValues most JSON values, where a protocol's longest request has more than others
 */
export function readJsonRequest<T>(
  body: Buffer,
  schema: z.ZodType<T>,
  within: readonly string[],
  maxValues = MAX_REQUEST_VALUES,
): JsonRequestResult<T> {
  const limits = { maxDepth: MAX_REQUEST_DEPTH, maxValues, uniqueKeys: true, within };
  const scanned = scanObject(body, limits);
  if (!scanned.ok) return { ok: false, error: { path: scanned.error.path, message: scanned.error.message } };
  const value: unknown = JSON.parse(body.toString('utf8'));
  const parsed = schema.safeParse(value);
  if (!conforms(value, parsed)) return { ok: false, error: describeFirst(parsed.error, value) };
  return { ok: true, object: scanned.object, request: value };
}

/**
 * The schema changes nothing, so what it accepts is a request as it is. The schema's own copy would lack members named
 * `__proto__`, and what is sent upstream must be what was judged.
 */
function conforms<T>(_value: unknown, parsed: z.ZodSafeParseResult<T>): _value is T {
  return parsed.success;
}

function describeFirst(error: z.ZodError | undefined, value: unknown): FieldNote {
  const issue = error?.issues[0];
  return issue === undefined ? { path: '', message: 'the request is malformed' } : describeIssue(issue, value);
}
