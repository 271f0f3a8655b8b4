import { chance, type Random } from './random.ts';

/**
 * A fragment of JSON text that no JavaScript value serializes to, such as `1e400` or an object with a duplicate key.
 */
class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Container = Record<string, unknown> | unknown[];
interface Place {
  parent: Container;
  key: string | number;
  value: unknown;
}

/** Places considered: large bodies are mutated near their start. */
const MAX_PLACES = 600;

const NUMBERS: readonly unknown[] = [
  0,
  -0,
  -1,
  0.5,
  1e-9,
  2 ** 31,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  2 ** 63,
  1e20,
  Number.MAX_VALUE,
  new RawJson('1e400'),
  new RawJson('-1e400'),
  new RawJson('123456789012345678901234567890'),
  new RawJson('1.0'),
  new RawJson('1E2'),
];

const STRINGS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00\ud800',
  '\ufeff',
  '\u202e\u2066',
  '🧑‍🚀'.repeat(50),
  'z\u0337\u0321\u0352'.repeat(200),
  '"\\\n\r\t\b\f/',
  '\u2028\u2029',
  '[DONE]',
  'data: [DONE]\n\n',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '{{7*7}}',
  '%00%0a%s%n',
  'null',
  '<script>',
  'a'.repeat(5_000),
  '\u00e9'.repeat(70_000),
];

const OTHERS: readonly unknown[] = [null, true, false, [], {}, [null], [[]], { a: 1 }, { type: 'text' }, 'text', 7];
const KEYS = ['x_unknown', '__proto__', 'constructor', 'toString', '', 'type', 'role', 'id', '\u0000', 'é'] as const;

/** Changes a copy of a JSON value in several places. @returns it as JSON text, with the names of the changes */
export function mutateJson(random: Random, value: unknown, times: number): { text: string; names: string[] } {
  const root: { value: unknown } = { value: structuredClone(value) };
  const names: string[] = [];
  for (let done = 0; done < times; done += 1) names.push(mutateOnce(random, root));
  return { text: writeJson(root.value), names };
}

function mutateOnce(random: Random, root: { value: unknown }): string {
  const places = placesOf(root);
  const place = places[random.below(places.length)];
  if (place === undefined) return 'nothing';
  const others = places[random.below(places.length)] ?? place;
  switch (random.below(11)) {
    case 0:
      remove(place);
      return 'drop';
    case 1:
      set(place, copy(others.value));
      return 'copy another';
    case 2:
      set(place, pickOf(random, NUMBERS));
      return 'number';
    case 3:
      set(place, pickOf(random, STRINGS));
      return 'string';
    case 4:
      set(place, copy(pickOf(random, OTHERS)));
      return 'retype';
    case 5:
      return duplicate(random, place);
    case 6: {
      const { value } = place;
      set(place, others.value);
      set(others, value);
      return places.length > 1 && isAcyclic(root.value) ? 'swap' : undo(root, place);
    }
    case 7:
      set(place, nested(chance(random, 300) ? 5_000 : 60, chance(random, 500)));
      return 'nest';
    case 8:
      if (isObject(place.value)) {
        define(place.value, random.pick(KEYS), copy(pickOf(random, OTHERS)));
        return 'unknown field';
      }
      set(place, [place.value]);
      return 'wrap';
    case 9:
      if (isObject(place.value)) {
        set(place, withKeyTwice(random, place.value));
        return 'duplicate key';
      }
      set(place, pickOf(random, STRINGS));
      return 'string';
    default:
      if (typeof place.value === 'string') {
        set(place, place.value + pickOf(random, STRINGS));
        return 'append';
      }
      set(place, typeof place.value === 'number' ? -place.value : pickOf(random, NUMBERS));
      return 'number';
  }
}

function undo(root: { value: unknown }, place: Place): string {
  // A value was inserted into itself: truncates it there.
  set(place, null);
  if (!isAcyclic(root.value)) root.value = {};
  return 'cut';
}

function duplicate(random: Random, { parent, key, value }: Place): string {
  if (!Array.isArray(parent)) {
    define(parent, `${String(key)}_2`, copy(value));
    return 'sibling';
  }
  const times = chance(random, 50) ? 500 : 1 + random.below(4);
  parent.splice(Number(key), 0, ...Array.from({ length: times }, () => copy(value)));
  return 'repeat';
}

function placesOf(root: { value: unknown }): Place[] {
  const places: Place[] = [{ parent: root as Record<string, unknown>, key: 'value', value: root.value }];
  for (let at = 0; at < places.length && places.length < MAX_PLACES; at += 1) {
    const { value } = places[at] ?? { value: undefined };
    if (!isContainer(value)) continue;
    const entries: [string | number, unknown][] = Array.isArray(value)
      ? value.map((each, index) => [index, each])
      : Object.entries(value);
    for (const [key, each] of entries.slice(0, MAX_PLACES)) places.push({ parent: value, key, value: each });
  }
  // Rarely mutates the root, which would replace everything else.
  return places.length > 1 ? places.slice(1) : places;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null && !(value instanceof RawJson);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

function isAcyclic(value: unknown, above: Set<unknown> = new Set()): boolean {
  if (!isContainer(value)) return true;
  if (above.has(value)) return false;
  above.add(value);
  const isFine = Object.values(value).every((each) => isAcyclic(each, above));
  above.delete(value);
  return isFine;
}

function copy(value: unknown): unknown {
  return value instanceof RawJson ? value : isContainer(value) ? new RawJson(writeJson(value)) : value;
}

function pickOf<T>(random: Random, list: readonly T[]): T {
  return list[random.below(list.length)] as T;
}

function set({ parent, key }: Place, value: unknown): void {
  if (Array.isArray(parent)) parent[Number(key)] = value;
  else define(parent, String(key), value);
}

/** As an own member, even `__proto__`. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function remove({ parent, key }: Place): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[String(key)];
}

function nested(depth: number, isObjects: boolean): RawJson {
  return isObjects
    ? new RawJson(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
    : new RawJson(`${'['.repeat(depth)}${']'.repeat(depth)}`);
}

function withKeyTwice(random: Random, object: Record<string, unknown>): RawJson {
  const keys = Object.keys(object);
  const key = keys[random.below(keys.length)];
  if (key === undefined) return new RawJson('{"a":1,"a":2}');
  const inner = writeJson(object).slice(1, -1);
  const again = writeJson(chance(random, 500) ? object[key] : pickOf(random, OTHERS));
  return new RawJson(`{${inner},${JSON.stringify(key)}:${again}}`);
}

/** Serializes a value, with its fragments unchanged. */
export function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${members.map(([key, each]) => `${JSON.stringify(key)}:${writeJson(each)}`).join(',')}}`;
}
