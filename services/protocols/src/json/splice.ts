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
  const patches = editMembers(object.members, object.end - 1, edits.map(toNode));
  if (patches.length === 0) return object.bytes;
  patches.sort((a, b) => a.start - b.start || a.end - b.end);
  const pieces: Buffer[] = [];
  let at = 0;
  for (const patch of patches) {
    pieces.push(object.bytes.subarray(at, patch.start), Buffer.from(patch.text));
    at = patch.end;
  }
  pieces.push(object.bytes.subarray(at));
  return Buffer.concat(pieces);
}

/** An edit of one member of an object. */
interface Node {
  readonly key: string;
  readonly json: string | undefined;
  readonly inner: Node | undefined;
}

function toNode(edit: Edit): Node {
  const json = edit.op === 'set' ? edit.json : undefined;
  const [key, inner] = edit.path;
  if (inner === undefined) return { key, json, inner: undefined };
  return { key, json: undefined, inner: { key: inner, json, inner: undefined } };
}

function editMembers(members: readonly JsonMember[], closingBrace: number, edits: readonly Node[]): Patch[] {
  const patches: Patch[] = [];
  const removed = new Set<JsonMember>();
  const appended = new Map<string, string[]>();
  for (const edit of edits) {
    const member = lastNamed(members, edit.key);
    const { inner } = edit;
    if (inner === undefined) {
      if (edit.json !== undefined && member !== undefined) patches.push(replaceValue(member, edit.json));
      else if (edit.json !== undefined) appended.set(edit.key, [edit.json]);
      else if (member !== undefined) removed.add(member);
    } else if (member?.members !== undefined) {
      const same = edits.filter((other) => other.key === edit.key).flatMap((other) => other.inner ?? []);
      if (same[0] === inner) patches.push(...editMembers(member.members, member.valueEnd - 1, same));
    } else if (inner.json !== undefined) {
      const created = appended.get(edit.key) ?? [];
      created.push(`${JSON.stringify(inner.key)}:${inner.json}`);
      appended.set(edit.key, created);
    }
  }
  const texts: string[] = [];
  for (const [key, parts] of appended) {
    const isNested = edits.some((edit) => edit.key === key && edit.inner !== undefined);
    const json = isNested ? `{${parts.join(',')}}` : parts.join('');
    const member = lastNamed(members, key);
    if (member !== undefined) patches.push(replaceValue(member, json));
    else texts.push(`${JSON.stringify(key)}:${json}`);
  }
  return [...patches, ...removals(members, removed), ...append(members, removed, closingBrace, texts)];
}

function replaceValue(member: JsonMember, text: string): Patch {
  return { start: member.valueStart, end: member.valueEnd, text };
}

/** A removed member goes with the comma before it; at the front of the object with the one after it. */
function removals(members: readonly JsonMember[], removed: ReadonlySet<JsonMember>): Patch[] {
  const patches: Patch[] = [];
  let kept: JsonMember | undefined;
  for (let i = 0; i < members.length; i++) {
    const member = members[i];
    if (member === undefined) continue;
    if (!removed.has(member)) {
      kept = member;
      continue;
    }
    const next = members[i + 1];
    if (kept !== undefined) patches.push({ start: members[i - 1]?.valueEnd ?? 0, end: member.valueEnd, text: '' });
    else patches.push({ start: member.keyStart, end: next?.keyStart ?? member.valueEnd, text: '' });
  }
  return patches;
}

function append(
  members: readonly JsonMember[],
  removed: ReadonlySet<JsonMember>,
  closingBrace: number,
  texts: readonly string[],
): Patch[] {
  if (texts.length === 0) return [];
  const last = members.at(-1);
  const at = last?.valueEnd ?? closingBrace;
  const comma = members.some((member) => !removed.has(member)) ? ',' : '';
  return [{ start: at, end: at, text: comma + texts.join(',') }];
}
