import { isRecord, type JsonRecord } from '../json/record.ts';
import type { Edit, MemberPath } from '../json/splice.ts';
import { type Diagnostic, type Diagnostics, diagnostic } from './diagnostics.ts';

/** A change to an upstream's request, without which its model would reject it. */
export interface Adjustment {
  readonly path: MemberPath;
  /** Undefined: the member is left out. */
  readonly value: unknown;
  /** For the client's warning; undefined if the response is the same, as without a default value. */
  readonly message: string | undefined;
}

export const NO_ADJUSTMENTS: readonly Adjustment[] = [];

/** The name of a path, as in `output_config.effort`. */
export function nameOf(path: MemberPath): string {
  return path.join('.');
}

/** The value at a path; null counts as absent. */
export function valueAt(body: JsonRecord, [outer, inner]: MemberPath): unknown {
  const value = body[outer];
  const found = inner === undefined ? value : isRecord(value) ? value[inner] : undefined;
  return found === null ? undefined : found;
}

/** The body with the adjustments. An object that loses its last member is left out with it. */
export function adjusted(body: JsonRecord, adjustments: readonly Adjustment[]): JsonRecord {
  if (adjustments.length === 0) return body;
  const copy: Record<string, unknown> = { ...body };
  for (const { path, value } of adjustments) {
    const [outer, inner] = path;
    const before = copy[outer];
    const after =
      inner === undefined ? value : without(isRecord(before) ? { ...before, [inner]: value } : { [inner]: value });
    if (after === undefined) delete copy[outer];
    else copy[outer] = after;
  }
  return copy;
}

function without(record: JsonRecord): JsonRecord | undefined {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The adjustments as edits of the client's bytes. */
export function editsOf(adjustments: readonly Adjustment[]): Edit[] {
  return adjustments.map(({ path, value }) =>
    value === undefined ? { op: 'remove', path } : { op: 'set', path, json: JSON.stringify(value) },
  );
}

/** The warnings of adjustments to the client's own request. */
export function warningsOf(adjustments: readonly Adjustment[]): Diagnostic[] {
  return adjustments.flatMap(({ path, message }) => (message === undefined ? [] : [diagnostic(nameOf(path), message)]));
}

/** Warns of the adjustments of a translated request, under the client's names of the fields. */
export function warnOfAdjustments(adjustments: readonly Adjustment[], diagnostics: Diagnostics): void {
  if (adjustments.every(({ message }) => message === undefined)) return;
  const places = diagnostics.places();
  for (const { path, message } of adjustments) {
    const name = nameOf(path);
    if (message !== undefined) diagnostics.warn(places.get(name) ?? places.get(path[0]) ?? name, message);
  }
}

/** Edits of several sources. Of several for a member the last one applies, and one of an object replaces those within it. */
export function combineEdits(...sources: readonly (readonly Edit[])[]): Edit[] {
  const byName = new Map<string, Edit>();
  for (const edit of sources.flat()) byName.set(nameOf(edit.path), edit);
  return [...byName.values()].filter(({ path }) => path.length === 1 || !byName.has(path[0]));
}
