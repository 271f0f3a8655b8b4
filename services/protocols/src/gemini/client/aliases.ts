import { isRecord, type JsonRecord } from '../../json/record.ts';
import { type ObjectShape, shapeOf } from './shape.ts';

/** A request in camel case, with the client's names of its fields. */
export interface AliasedRequest {
  readonly value: JsonRecord;
  readonly aliases: FieldAliases;
  /** The first name of a field that was sent under both names; undefined if there is none. */
  readonly duplicate: string | undefined;
}

/**
 * Resolves the two names that protobuf's JSON has for every field, `topK` and `top_k`, and single values in place of
 * lists, which Google accepts too. The result is in camel case, with lists; keys that are the client's own (a
 * tool's arguments, properties of a schema, labels) and unknown fields stay as they are.
 */
export function resolveAliases(body: JsonRecord): AliasedRequest {
  const state: { duplicate: string | undefined } = { duplicate: undefined };
  const value = resolve(body, shapeOf.request, '', state);
  const { duplicate } = state;
  return {
    value: isRecord(value) ? value : body,
    aliases: new FieldAliases(value === body ? undefined : body),
    duplicate,
  };
}

function resolve(value: unknown, shape: ObjectShape, path: string, state: { duplicate: string | undefined }): unknown {
  if (shape.kind === 'list') {
    if (value === undefined || value === null) return value;
    if (!Array.isArray(value)) return [resolve(value, shape.of, path, state)];
    return resolveAll(value, (item, i) => resolve(item, shape.of, `${path}[${i}]`, state));
  }
  if (!isRecord(value)) return value;
  if (shape.kind === 'map') return resolveMap(value, shape.of, path, state);
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const name = shape.fields.has(key) ? key : fieldNamed(key, shape.fields);
    if (name !== key && Object.hasOwn(value, name)) state.duplicate ??= joined(path, key);
    const of = shape.fields.get(name);
    const next = of === undefined ? inner : resolve(inner, of, joined(path, key), state);
    changed ||= name !== key || next !== inner;
    entries.push([name, next]);
  }
  return changed ? Object.fromEntries(entries) : value;
}

function resolveAll(values: readonly unknown[], one: (value: unknown, index: number) => unknown): readonly unknown[] {
  const next = values.map(one);
  return next.some((value, i) => value !== values[i]) ? next : values;
}

function resolveMap(
  value: JsonRecord,
  shape: ObjectShape,
  path: string,
  state: { duplicate: string | undefined },
): JsonRecord {
  const entries = Object.entries(value);
  const next = entries.map(([key, inner]): [string, unknown] => [key, resolve(inner, shape, joined(path, key), state)]);
  return next.some(([, inner], i) => inner !== entries[i]?.[1]) ? Object.fromEntries(next) : value;
}

/** The field that a snake case key names; the key itself if there is none. */
function fieldNamed(key: string, fields: ReadonlyMap<string, ObjectShape | undefined>): string {
  if (!key.includes('_')) return key;
  const camel = key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return fields.has(camel) ? camel : key;
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** An index, a quoted key, or a plain one. */
const SEGMENT = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g;

/** The client's names of the fields. */
export class FieldAliases {
  /** The body if it differs from camel case, else undefined. */
  readonly #body: JsonRecord | undefined;

  constructor(body: JsonRecord | undefined) {
    this.#body = body;
  }

  /** The client's path for one in camel case, such as `generation_config.top_k` for `generationConfig.topK`. */
  path(camelPath: string): string {
    if (this.#body === undefined) return camelPath;
    let at: unknown = this.#body;
    let path = '';
    for (const [segment, index, quoted, key = ''] of camelPath.matchAll(SEGMENT)) {
      if (index !== undefined) {
        // A single value means a list of one.
        if (at !== undefined && !Array.isArray(at)) continue;
        path += segment;
        at = Array.isArray(at) ? at[Number(index)] : undefined;
      } else if (quoted !== undefined) {
        path += segment;
        at = isRecord(at) ? at[String(JSON.parse(quoted))] : undefined;
      } else {
        const name = isRecord(at) ? aliasOf(at, key) : key;
        path = joined(path, name);
        at = isRecord(at) ? at[name] : undefined;
      }
    }
    return path;
  }
}

function aliasOf(value: JsonRecord, key: string): string {
  if (Object.hasOwn(value, key)) return key;
  const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.hasOwn(value, snake) ? snake : key;
}
