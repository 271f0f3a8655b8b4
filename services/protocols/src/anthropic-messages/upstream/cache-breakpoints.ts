import { isRecord, type JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching#when-to-use-multiple-breakpoints */
const MAX_BREAKPOINTS = 4;
/** Paths of cache breakpoints, in the order of the prompt. One of the request itself comes last. */
const MARKED = ['tools', 'system', 'messages'] as const;

/** Changes the breakpoint at a path, such as `messages[1].content[0]`; undefined removes it. */
type Change = (control: unknown, path: string) => unknown;

/**
 * Adapts cache breakpoints to Anthropic's rules. Beyond the maximum number the earliest are left out, since a later one
 * covers what an earlier one does. A long lifetime after a short one becomes a short one.
 */
export function* limitBreakpoints(
  body: JsonRecord,
  at: string | undefined,
  diagnostics: Diagnostics,
): Stages<JsonRecord> {
  const marks: { life: '5m' | '1h'; path: string }[] = [];
  yield* withMarks(body, (control, path) => {
    marks.push({ life: lifeOf(control), path });
    return control;
  });
  let surplus = marks.length - MAX_BREAKPOINTS;
  const kept = marks.slice(Math.max(surplus, 0));
  const firstShort = kept.findIndex(({ life }) => life === '5m');
  const late = firstShort === -1 ? undefined : kept.slice(firstShort).find(({ life }) => life === '1h');
  if (surplus <= 0 && late === undefined) return body;
  const places = diagnostics.places();
  const nameOf = (mark: { path: string } | undefined) => clientName(mark?.path ?? '', places) ?? at;
  if (surplus > 0) {
    const message = `only the last ${MAX_BREAKPOINTS} cache breakpoints are passed on to this model's provider`;
    diagnostics.warn(nameOf(marks[0]), message);
  }
  if (late !== undefined) {
    diagnostics.warn(nameOf(late), 'cache breakpoints of "1h" after one of "5m" are sent as "5m"');
  }
  let isShort = false;
  return yield* withMarks(body, (control) => {
    if (surplus-- > 0) return undefined;
    isShort ||= lifeOf(control) === '5m';
    return isShort && isRecord(control) && lifeOf(control) === '1h' ? { ...control, ttl: '5m' } : control;
  });
}

/** The client's name of the field at a path, or of the one around it. */
function clientName(path: string, places: ReadonlyMap<string, string>): string | undefined {
  for (let end = path.length; end > 0; end = path.slice(0, end).search(/(?:\.[^.[]+|\[\d+\])$/)) {
    const at = places.get(path.slice(0, end));
    if (at !== undefined) return at;
  }
  return undefined;
}

function lifeOf(control: unknown): '5m' | '1h' {
  return isRecord(control) && control['ttl'] === '1h' ? '1h' : '5m';
}

/** The body with each breakpoint replaced by the result of `change`, called in the order of the prompt. */
function* withMarks(body: JsonRecord, change: Change): Stages<JsonRecord> {
  const changed: Record<string, unknown> = { ...body };
  for (const key of MARKED) {
    if (changed[key] !== undefined) changed[key] = yield* changedWithin(changed[key], key, change);
  }
  return withMark(changed, '', change);
}

function* changedWithin(list: unknown, path: string, change: Change): Stages<unknown> {
  if (!Array.isArray(list)) return list;
  const changed: unknown[] = [];
  for (const [i, element] of list.entries()) {
    if (isTurnOver()) yield;
    changed.push(isRecord(element) ? yield* changedElement(element, `${path}[${i}]`, change) : element);
  }
  return changed;
}

function* changedElement(element: JsonRecord, path: string, change: Change): Stages<JsonRecord> {
  const { content } = element;
  if (!Array.isArray(content)) return withMark(element, path, change);
  const inner = yield* changedWithin(content, `${path}.content`, change);
  return withMark({ ...element, content: inner }, path, change);
}

function withMark(record: JsonRecord, path: string, change: Change): JsonRecord {
  const { cache_control: control, ...rest } = record;
  if (control === undefined) return record;
  const changed = change(control, path);
  return changed === undefined ? rest : { ...rest, cache_control: changed };
}
