import { isRecord, type JsonRecord, stringOr } from '../../json/record.ts';

/** Where a piece of streamed arguments belongs: names of members and indices of lists. */
type Path = readonly (string | number)[];

/** Deeper arguments are not assembled; no tool has them. */
const MAX_DEPTH = 64;
/** Longer lists are not assembled, so that an index cannot demand memory. */
const MAX_INDEX = 100_000;

/**
 * Assembles the arguments of a function call that Vertex AI streams in pieces: `partialArgs`, each with the JSONPath of a
 * value and more of it. Text with `willContinue` is continued by the next piece of the same path.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc
 */
export class PartialArgs {
  readonly #args: Record<string, unknown> = {};

  /** Adds `partialArgs`. @returns the problem, if there is one */
  add(pieces: unknown): string | undefined {
    if (!Array.isArray(pieces)) return undefined;
    for (const piece of pieces) {
      const path = isRecord(piece) ? parsePath(stringOr(piece['jsonPath'])) : undefined;
      if (!isRecord(piece) || path === undefined) return 'a streamed argument has no valid path';
      if (!this.#put(path, piece)) return 'streamed arguments contradict each other';
    }
    return undefined;
  }

  /** The arguments so far. */
  get args(): JsonRecord {
    return this.#args;
  }

  #put(path: Path, piece: JsonRecord): boolean {
    let at: Container = this.#args;
    for (const [i, key] of path.entries()) {
      const next = path[i + 1];
      if (next === undefined) return setValue(at, key, piece);
      const inner = valueAt(at, key);
      if (isContainer(inner)) {
        at = inner;
        continue;
      }
      if (inner !== undefined && inner !== null) return false;
      const created: Container = typeof next === 'number' ? [] : {};
      if (!assign(at, key, created)) return false;
      at = created;
    }
    return false;
  }
}

type Container = unknown[] | { [key: string]: unknown };

function isContainer(value: unknown): value is Container {
  // Numbers that were parsed losslessly are objects without a prototype.
  return Array.isArray(value) || (isRecord(value) && Object.getPrototypeOf(value) === Object.prototype);
}

function valueAt(container: Container, key: string | number): unknown {
  if (Array.isArray(container)) return typeof key === 'number' ? container[key] : undefined;
  return Object.hasOwn(container, key) ? container[String(key)] : undefined;
}

function assign(container: Container, key: string | number, value: unknown): boolean {
  if (Array.isArray(container)) {
    // Elements come in order.
    if (typeof key !== 'number' || key > container.length) return false;
    container[key] = value;
    return true;
  }
  // A member of this name would otherwise set the prototype.
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
  return true;
}

/** Texts are continued, other values replaced. */
function setValue(container: Container, key: string | number, piece: JsonRecord): boolean {
  const { stringValue, numberValue, boolValue } = piece;
  if (typeof stringValue !== 'string') {
    if (numberValue !== undefined) return assign(container, key, numberValue);
    if (boolValue !== undefined) return assign(container, key, boolValue);
    // The last piece of a text may be empty.
    const isEnd = piece['nullValue'] === undefined && valueAt(container, key) !== undefined;
    return isEnd || assign(container, key, null);
  }
  const earlier = valueAt(container, key);
  return assign(container, key, typeof earlier === 'string' ? earlier + stringValue : stringValue);
}

const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** `$.a.b[0]['c d']`; undefined if it is not such a path. */
function parsePath(text: string): Path | undefined {
  if (!text.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < text.length) {
    const match = STEP.exec(text);
    if (match === null || steps.length >= MAX_DEPTH) return undefined;
    const [, name, index, single, double] = match;
    if (index !== undefined && Number(index) > MAX_INDEX) return undefined;
    const quoted = single ?? double;
    steps.push(index === undefined ? (name ?? quoted?.replace(/\\(.)/g, '$1') ?? '') : Number(index));
  }
  return steps.length === 0 ? undefined : steps;
}
