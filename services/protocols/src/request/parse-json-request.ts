import type { z } from 'zod';
import type { JsonObject } from '../json/object.ts';
import { type Offsets, piecesOf } from '../json/pieces.ts';
import { scanObject } from '../json/scan.ts';
import type { Stages } from '../lists/stages.ts';
import type { Diagnostic } from './diagnostics.ts';
import { describeIssue } from './schema-issue.ts';

/** Deepest nesting of a request body. JSON Schemas of tools are what nests most. */
export const MAX_REQUEST_DEPTH = 64;

/**
 * Most JSON values of a request body, keys not counted. The longest conversations have some tens of thousands; without a
 * limit a body of a few bytes a value would keep the process from all others for seconds.
 */
export const MAX_REQUEST_VALUES = 200_000;

/** Most members of one object of a request body, since an object is judged and translated in one turn of the event loop. */
export const MAX_REQUEST_MEMBERS = 10_000;

/** A request that is well formed, with the text it was read from. */
export type JsonRequestResult<T> =
  | { readonly ok: true; readonly object: JsonObject; readonly request: T }
  | { readonly ok: false; readonly error: Diagnostic };

/**
 * Reads a client's JSON body: one object without duplicate keys, within the limits above, of the schema's types. The
 * schema must change nothing (no defaults, no transforms), and allow unknown members.
 *
 * @param within keys of top-level members whose own members are to be found in the text, for editing them in place
 * @param maxValues most JSON values, where a protocol's longest request has more than others
 */
export function* parseJsonRequest<T>(
  body: Buffer,
  schema: z.ZodType<T>,
  within: readonly string[],
  maxValues = MAX_REQUEST_VALUES,
): Stages<JsonRequestResult<T>> {
  const limits = {
    maxDepth: MAX_REQUEST_DEPTH,
    maxValues,
    maxMembers: MAX_REQUEST_MEMBERS,
    uniqueKeys: true,
    within,
  };
  const scanned = scanObject(body, limits);
  if (!scanned.ok) return { ok: false, error: { path: scanned.error.path, message: scanned.error.message } };
  yield;
  const text = body.toString('utf8');
  yield;
  const value: unknown = JSON.parse(text);
  yield;
  const misfit = yield* findMismatch(value, schema);
  if (matchesSchema<T>(value, misfit)) return { ok: true, object: scanned.object, request: value };
  return { ok: false, error: misfit ?? MALFORMED };
}

/** Used if a schema gives no reason. */
export const MALFORMED: Diagnostic = { path: '', message: 'the request is malformed' };

/** The first thing in a value that is not of the schema's types; undefined when all of it is. */
export function* findMismatch(value: unknown, schema: z.ZodType): Stages<Diagnostic | undefined> {
  const offsets: Offsets = new WeakMap();
  for (const piece of piecesOf(value, offsets)) {
    const { error } = schema.safeParse(piece);
    if (error !== undefined)
      return error.issues[0] === undefined ? MALFORMED : describeIssue(error.issues[0], piece, offsets);
    yield;
  }
  return undefined;
}

/**
 * The schema changes nothing, so what it accepts is a request as it is. The schema's own copy would lack members named
 * `__proto__`, and what is sent upstream must be what was judged.
 */
export function matchesSchema<T>(_value: unknown, misfit: Diagnostic | undefined): _value is T {
  return misfit === undefined;
}
