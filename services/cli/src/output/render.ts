import { formatFields, formatTable } from './table.ts';

type Json = Readonly<Record<string, unknown>>;

/** What of a response is text only for machines. */
const HIDDEN = ['next_cursor', 'currency'];
/** Lists whose emptiness means something. */
const WHEN_EMPTY: readonly (readonly [field: string, text: string])[] = [['allowed_models', 'all']];

/**
 * A response as text, whatever it holds: its fields, those of the objects in it, and a table for each list of objects. So a new
 * attribute is shown without further code.
 *
 * @param columns of the table of `data`, such as `actor.name`; by default all
 */
export function renderText(response: unknown, columns?: readonly string[]): string {
  if (!isObject(response)) return 'Done.\n';
  const isList = 'data' in response;
  const entries = Object.entries(response).filter(
    ([name, value]) => !HIDDEN.includes(name) && !(isList && name !== 'data' && isNothing(value)),
  );
  const lists = entries.filter((entry): entry is [string, Json[]] => isTable(entry));
  const fields = entries.filter((entry) => !isTable(entry)).flatMap(([name, value]) => fieldsOf(name, value));
  const parts = [
    ...(fields.length === 0 ? [] : [formatFields(fields)]),
    ...lists.flatMap(([name, rows]) => {
      if (name === 'data') return [tableOf(rows, columns)];
      return rows.length === 0 ? [] : [`${titleOf(name)}\n${tableOf(rows)}`];
    }),
    ...(typeof response['next_cursor'] === 'string'
      ? [`There are more: add --cursor ${response['next_cursor']}\n`]
      : []),
  ];
  return parts.join('\n');
}

/** Whether a field is shown as a table: a list of objects, or the list that a response is about. */
function isTable([name, value]: [string, unknown]): boolean {
  return Array.isArray(value) && (name === 'data' || value.some(isObject));
}

function tableOf(rows: readonly Json[], columns: readonly string[] = Object.keys(rows[0] ?? {})): string {
  const cells = rows.map((row) => columns.map((column) => valueAt(row, column.split('.'))));
  const titles = columns.map((column, index) => ({
    title: titleOf(column),
    align: cells.every((row) => isNothing(row[index]) || isNumeric(row[index]))
      ? ('right' as const)
      : ('left' as const),
  }));
  const texts = cells.map((row) => row.map((value, index) => textOf(value, columns[index])));
  return formatTable(titles, texts, 'There are none.');
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((object, name) => (isObject(object) ? object[name] : null), value);
}

/** An object of simple values takes a line; the fields of another one are shown each on a line, after its name. */
function fieldsOf(name: string, value: unknown): [string, string][] {
  if (!isObject(value) || Object.values(value).every((each) => typeof each !== 'object' || each === null))
    return [[wordsOf(name), textOf(value, name)]];
  return Object.entries(value)
    .filter(([inner]) => !HIDDEN.includes(inner))
    .flatMap(([inner, each]) => fieldsOf(inner.startsWith(name) ? inner : `${name}_${inner}`, each));
}

function textOf(value: unknown, name = ''): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return isTime(value) ? `${value.slice(0, 19).replace('T', ' ')}Z` : value;
  if (Array.isArray(value)) {
    if (value.length === 0) return WHEN_EMPTY.find(([field]) => name.endsWith(field))?.[1] ?? 'none';
    return value.map((each) => textOf(each)).join(isObject(value[0]) ? '; ' : ', ');
  }
  if (!isObject(value)) return String(value);
  const set = Object.entries(value).filter(([, each]) => each !== null);
  const parts = set.map(([key, each]) => `${wordsOf(key)} ${isObject(each) ? `(${textOf(each)})` : textOf(each, key)}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/** Times of responses are in UTC. */
function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of a field deep inside, its own name is enough. */
function titleOf(name: string): string {
  const path = name.split('.');
  return wordsOf(path.length > 2 ? (path.at(-1) ?? '') : name).toUpperCase();
}

function wordsOf(name: string): string {
  return name.replace(/_(at|id)$/, '').replaceAll(/[_.]/g, ' ');
}
