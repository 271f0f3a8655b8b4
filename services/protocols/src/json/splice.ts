import { type JsonMember, type JsonObject, lastNamed } from './object.ts';

/** A member of the outermost object, or one of a member that is an object itself. */
export type MemberPath = readonly [key: string] | readonly [key: string, inner: string];

/**
 * One change to an object's text.
 *
 * - `set` replaces a value, or appends the member (and the object around it, also in place of a value that is no
 *   object). `json` is a JSON text.
 * - `remove` deletes a member with its comma; a missing member is ignored.
 */
export type Edit =
  | { readonly op: 'set'; readonly path: MemberPath; readonly json: string }
  | { readonly op: 'remove'; readonly path: MemberPath };

/** A range of the text, and its replacement. */
interface Patch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits to the text of an object. All bytes that no edit names stay as they are: white space, order, spelling of
 * numbers, unknown members. Of members with the same key the last one is edited. A path with two keys needs the first
 * named in the scan's `within`. Each path may be edited once.
 *
 * @returns the object's own bytes when nothing changes
 */
export function splice(object: JsonObject, edits: readonly Edit[]): Buffer {
  const patches: Patch[] = [];
  addPatches(patches, object.members, object.end - 1, edits, 0);
  if (patches.length === 0) return object.bytes;
  patches.sort((a, b) => a.start - b.start || a.end - b.end);
  return patched(object.bytes, patches);
}

/** The text with its patches, which are in order and do not overlap. */
function patched(bytes: Buffer, patches: readonly Patch[]): Buffer {
  let size = bytes.length;
  for (const { start, end, text } of patches) size += Buffer.byteLength(text) - (end - start);
  const result = Buffer.allocUnsafe(size);
  let from = 0;
  let to = 0;
  for (const { start, end, text } of patches) {
    to += bytes.copy(result, to, from, start);
    to += result.write(text, to);
    from = end;
  }
  bytes.copy(result, to, from);
  return result;
}

/**
 * Adds the patches for edits of an object's members.
 *
 * @param depth where in an edit's path the member's key is
 */
function addPatches(
  patches: Patch[],
  members: readonly JsonMember[],
  closingBrace: number,
  edits: readonly Edit[],
  depth: 0 | 1,
): void {
  const removed: JsonMember[] = [];
  let appended = '';
  const set = (key: string, member: JsonMember | undefined, json: string) => {
    if (member === undefined) appended += `,${JSON.stringify(key)}:${json}`;
    else patches.push({ start: member.valueStart, end: member.valueEnd, text: json });
  };
  let outer: string | undefined;
  for (const edit of edits) {
    const key = edit.path[depth] ?? '';
    if (depth === 1 || edit.path.length === 1) {
      const member = lastNamed(members, key);
      if (edit.op === 'set') set(key, member, edit.json);
      else if (member !== undefined) removed.push(member);
      continue;
    }
    // All edits within a member are made at once, mostly next to each other in the list.
    if (key === outer) continue;
    outer = key;
    const within = edits.filter(({ path }) => path.length === 2 && path[0] === key);
    if (within[0] !== edit) continue;
    const member = lastNamed(members, key);
    if (member?.members !== undefined) addPatches(patches, member.members, member.valueEnd - 1, within, 1);
    else if (within.some(({ op }) => op === 'set')) set(key, member, createdObject(within));
  }
  if (removed.length > 0) addRemovals(patches, members, removed);
  if (appended === '') return;
  const at = members.at(-1)?.valueEnd ?? closingBrace;
  const isFirst = members.every((member) => removed.includes(member));
  patches.push({ start: at, end: at, text: isFirst ? appended.slice(1) : appended });
}

/** A member's new object. */
function createdObject(edits: readonly Edit[]): string {
  const members: string[] = [];
  for (const edit of edits) if (edit.op === 'set') members.push(`${JSON.stringify(edit.path[1])}:${edit.json}`);
  return `{${members.join(',')}}`;
}

/** A removed member goes with the comma before it; at the front of the object with the one after it. */
function addRemovals(patches: Patch[], members: readonly JsonMember[], removed: readonly JsonMember[]): void {
  let kept: JsonMember | undefined;
  for (let i = 0; i < members.length; i++) {
    const member = members[i];
    if (member === undefined) continue;
    if (!removed.includes(member)) {
      kept = member;
      continue;
    }
    const next = members[i + 1];
    if (kept !== undefined) patches.push({ start: members[i - 1]?.valueEnd ?? 0, end: member.valueEnd, text: '' });
    else patches.push({ start: member.keyStart, end: next?.keyStart ?? member.valueEnd, text: '' });
  }
}
