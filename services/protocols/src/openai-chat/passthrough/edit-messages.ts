import { elementsOf } from '../../json/elements.ts';
import { type JsonMember, type JsonObject, memberOf } from '../../json/object.ts';
import { scanObject } from '../../json/scan.ts';
import type { Edit } from '../../json/splice.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { ChatMessage } from '../shared/schema.ts';

const LIMITS = { maxDepth: Number.POSITIVE_INFINITY, uniqueKeys: false, within: [] };

/** A change to some of the messages of a request. */
export interface MessageRule {
  readonly appliesTo: (message: ChatMessage) => boolean;
  /** The message, as the client sent it, with the change. Other rules may have changed the object before. */
  readonly edit: (object: JsonObject, message: ChatMessage) => Buffer;
}

/** Applies rules to the messages of a request, in their order. Messages to which none applies keep their bytes. */
export function messageEdits({ object, request }: ParsedRequest, rules: readonly MessageRule[]): Edit[] {
  const member = memberOf(object, 'messages');
  const isAffected = (message: ChatMessage) => rules.some((rule) => rule.appliesTo(message));
  if (member === undefined || !request.messages.some(isAffected)) return [];
  const json = editElements(object, member, (bytes, i) => {
    const message = request.messages[i];
    if (message === undefined) return bytes;
    return rules
      .filter((rule) => rule.appliesTo(message))
      .reduce((edited, rule) => editObject(edited, (each) => rule.edit(each, message)), bytes);
  });
  return [{ op: 'set', path: ['messages'], json }];
}

/** The JSON text of an array member with each element edited. */
export function editElements(
  object: JsonObject,
  member: JsonMember,
  edit: (bytes: Buffer, index: number) => Buffer,
): string {
  const texts = elementsOf(object, member).map(({ start, end }, i) =>
    edit(object.bytes.subarray(start, end), i).toString('utf8'),
  );
  return `[${texts.join(',')}]`;
}

/** An edited object; any other value as it is. */
export function editObject(bytes: Buffer, edit: (object: JsonObject) => Buffer): Buffer {
  const scanned = scanObject(bytes, LIMITS);
  return scanned.ok ? edit(scanned.object) : bytes;
}
