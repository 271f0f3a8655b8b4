import type { EncodeNotes } from '../../canonical/encode-notes.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching#when-to-use-multiple-breakpoints */
const MAX_BREAKPOINTS = 4;

/**
 * Leaves out the marks for the cache that are too many, the earliest first: what a later one keeps contains what an earlier
 * one does. In the order of the prompt: tools, system, messages.
 */
export function limitBreakpoints(body: JsonRecord, at: string | undefined, notes: EncodeNotes): JsonRecord {
  const own = body['cache_control'] === undefined ? 0 : 1;
  let surplus = count(body['tools']) + count(body['system']) + count(body['messages']) + own - MAX_BREAKPOINTS;
  if (surplus <= 0) return body;
  notes.warn(at, `only the last ${MAX_BREAKPOINTS} marks for the cache are passed on to this model's provider`);
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (!isRecord(value) || surplus <= 0) return value;
    const content = value['content'];
    const inner = Array.isArray(content) ? { ...value, content: strip(content) } : value;
    if (surplus <= 0 || inner['cache_control'] === undefined) return inner;
    surplus--;
    const { cache_control: _dropped, ...rest } = inner;
    return rest;
  };
  const stripped: Record<string, unknown> = { ...body };
  for (const key of ['tools', 'system', 'messages']) if (body[key] !== undefined) stripped[key] = strip(body[key]);
  return stripped;
}

function count(value: unknown): number {
  if (Array.isArray(value)) {
    let marks = 0;
    for (const element of value) marks += count(element);
    return marks;
  }
  if (!isRecord(value)) return 0;
  return (
    (value['cache_control'] === undefined ? 0 : 1) + (Array.isArray(value['content']) ? count(value['content']) : 0)
  );
}
