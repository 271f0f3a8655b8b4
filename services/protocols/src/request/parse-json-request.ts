import type { z } from 'zod';
import type { JsonObject } from '../json/object.ts';
import { type Offsets, PIECE_VALUES, piecesOf } from '../json/pieces.ts';
import { scanObject } from '../json/scan.ts';
import { LARGE_BYTES, type Stages } from '../lists/stages.ts';
import type { Diagnostic } from './diagnostics.ts';
import { describeIssue } from './schema-issue.ts';

/** Maximum nesting depth of a request body. JSON Schemas of tools nest deepest. */
export const MAX_REQUEST_DEPTH = 64;

/**
 * Maximum number of JSON values in a request body, without keys. The longest conversations have some tens of thousands;
 * without a limit a body of many small values would block the process for seconds.
 */
export const MAX_REQUEST_VALUES = 200_000;

/** Maximum number of members of one object in a request body: an object is checked and translated in one turn of the event loop. */
export const MAX_REQUEST_MEMBERS = 10_000;

/** What a request body is scanned with. */
export const REQUEST_LIMITS = {
  maxDepth: MAX_REQUEST_DEPTH,
  maxValues: MAX_REQUEST_VALUES,
  maxMembers: MAX_REQUEST_MEMBERS,
  uniqueKeys: true,
  within: [],
};

/** A valid request, with the text it was parsed from. */
export type JsonRequestResult<T> =
  | { readonly ok: true; readonly object: JsonObject; readonly request: T }
  | { readonly ok: false; readonly error: Diagnostic };

/**
 * Parses a client's JSON body: one object without duplicate keys, within the limits above, that matches the schema. The
 * schema must change nothing (no defaults, no transforms), and allow unknown members.
 *
 * @param within keys of top-level members whose own members are located in the text, for editing them in place
 * @param maxValues maximum number of JSON values, for protocols with longer requests than others
 */
export function* parseJsonRequest<T>(
  body: Buffer,
  schema: z.ZodType<T>,
  within: readonly string[],
  maxValues = MAX_REQUEST_VALUES,
): Stages<JsonRequestResult<T>> {
  const scanned = scanObject(body, { ...REQUEST_LIMITS, maxValues, within });
  if (!scanned.ok) return { ok: false, error: { path: scanned.error.path, message: scanned.error.message } };
  const { object } = scanned;
  const isLarge = body.length > LARGE_BYTES;
  if (isLarge) yield;
  const text = body.toString('utf8');
  if (isLarge) yield;
  const value: unknown = JSON.parse(text);
  if (isLarge) yield;
  const mismatch = object.values <= PIECE_VALUES ? mismatchOf(value, schema) : yield* findMismatch(value, schema);
  if (matchesSchema<T>(value, mismatch)) return { ok: true, object, request: value };
  return { ok: false, error: mismatch ?? MALFORMED };
}

/** Used if a schema returns no reason. */
export const MALFORMED: Diagnostic = { path: '', message: 'the request is malformed' };

/** The first mismatch between a value and a schema; undefined if there is none. */
export function* findMismatch(value: unknown, schema: z.ZodType): Stages<Diagnostic | undefined> {
  const offsets: Offsets = new WeakMap();
  for (const piece of piecesOf(value, offsets)) {
    const mismatch = mismatchOf(piece, schema, offsets);
    if (mismatch !== undefined) return mismatch;
    yield;
  }
  return undefined;
}

/** The same at once, for small values and for pieces of large ones. */
export function mismatchOf(value: unknown, schema: z.ZodType, offsets?: Offsets): Diagnostic | undefined {
  const { error } = schema.safeParse(value);
  if (error === undefined) return undefined;
  return error.issues[0] === undefined ? MALFORMED : describeIssue(error.issues[0], value, offsets);
}

/**
 * The schema changes nothing, so an accepted value is the request itself. The schema's own copy would drop members named
 * `__proto__`, and the request sent upstream must be the one that was checked.
 */
export function matchesSchema<T>(_value: unknown, mismatch: Diagnostic | undefined): _value is T {
  return mismatch === undefined;
}
