import type { EncodeNotes } from '../../canonical/encode-notes.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching#when-to-use-multiple-breakpoints */
const MAX_BREAKPOINTS = 4;
/** Where marks stand, in the order of the prompt. One of the request's own stands behind them all. */
const MARKED = ['tools', 'system', 'messages'] as const;

/** Changes a mark; undefined takes it away. */
type Change = (control: unknown) => unknown;

/**
 * The marks for the cache as Anthropic takes them. Those that are too many are left out, the earliest first, since what a
 * later one keeps contains what an earlier one does. A long life behind a short one becomes a short one, too.
 */
export function limitBreakpoints(body: JsonRecord, at: string | undefined, notes: EncodeNotes): JsonRecord {
  const lives: string[] = [];
  withMarks(body, (control) => {
    lives.push(lifeOf(control));
    return control;
  });
  let surplus = lives.length - MAX_BREAKPOINTS;
  const kept = lives.slice(Math.max(surplus, 0));
  const isMixed = kept.includes('5m') && kept.lastIndexOf('1h') > kept.indexOf('5m');
  if (surplus <= 0 && !isMixed) return body;
  if (surplus > 0) {
    notes.warn(at, `only the last ${MAX_BREAKPOINTS} marks for the cache are passed on to this model's provider`);
  }
  if (isMixed) notes.warn(at, 'marks for the cache of "1h" behind one of "5m" are sent as "5m"');
  let isShort = false;
  return withMarks(body, (control) => {
    if (surplus-- > 0) return undefined;
    isShort ||= lifeOf(control) === '5m';
    return isShort && isRecord(control) && lifeOf(control) === '1h' ? { ...control, ttl: '5m' } : control;
  });
}

function lifeOf(control: unknown): '5m' | '1h' {
  return isRecord(control) && control['ttl'] === '1h' ? '1h' : '5m';
}

/** The body with each mark as `change` makes it, asked in the order of the prompt. */
function withMarks(body: JsonRecord, change: Change): JsonRecord {
  const changed: Record<string, unknown> = { ...body };
  for (const key of MARKED) if (changed[key] !== undefined) changed[key] = changedWithin(changed[key], change);
  return withMark(changed, change);
}

function changedWithin(value: unknown, change: Change): unknown {
  if (Array.isArray(value)) return value.map((element) => changedWithin(element, change));
  if (!isRecord(value)) return value;
  const content = value['content'];
  return withMark(Array.isArray(content) ? { ...value, content: changedWithin(content, change) } : value, change);
}

function withMark(record: JsonRecord, change: Change): JsonRecord {
  const { cache_control: control, ...rest } = record;
  if (control === undefined) return record;
  const changed = change(control);
  return changed === undefined ? rest : { ...rest, cache_control: changed };
}
