import { jsonBySchema } from '../../canonical/json-instruction.ts';
import { type ModelParameters, NO_PARAMETERS } from '../../interface/parameters.ts';
import { editObject } from '../../json/edit-elements.ts';
import { elementsOf } from '../../json/elements.ts';
import { type JsonObject, memberOf } from '../../json/object.ts';
import { type JsonRecord, parseJson, recordOr } from '../../json/record.ts';
import { type Edit, splice } from '../../json/splice.ts';
import type { ParsedRequest } from '../client/parse.ts';
import { instructedSchema } from '../shared/adjust-dialect.ts';
import { concernsMessages, type FittedMessage, fitMessages } from '../shared/fit-messages.ts';
import type { ChatMessage } from '../shared/schema.ts';

/** A change to some of the messages of a request. */
export interface MessageRule {
  readonly appliesTo: (message: ChatMessage) => boolean;
  /** The message, as the client sent it, with the change. Other rules may have changed the object before. */
  readonly edit: (object: JsonObject, message: ChatMessage) => Buffer;
}

/**
 * Applies rules to the messages of a request, in their order, and then fits them to what its provider accepts. Messages to which
 * nothing applies keep their bytes, and of the others all members that do not change. A schema that the provider does not enforce
 * comes in front, as an instruction.
 */
export function messageEdits(
  { object, request }: ParsedRequest,
  rules: readonly MessageRule[],
  parameters: ModelParameters = NO_PARAMETERS,
): Edit[] {
  const member = memberOf(object, 'messages');
  const isAffected = (message: ChatMessage) => rules.some((rule) => rule.appliesTo(message));
  const isEdited = request.messages.some(isAffected);
  const isFitted = concernsMessages(parameters);
  const schema = instructedSchema(request, parameters);
  if (member === undefined || (!isEdited && !isFitted && schema === undefined)) return [];
  const edited = elementsOf(object, member).map(({ start, end }, i): Element => {
    const bytes = object.bytes.subarray(start, end);
    const message = request.messages[i];
    if (message === undefined || !isAffected(message)) return { bytes, message: message ?? {} };
    const changed = rules
      .filter((rule) => rule.appliesTo(message))
      .reduce((before, rule) => editObject(before, (each) => rule.edit(each, message)), bytes);
    return { bytes: changed, message: isFitted ? recordOr(parseJson(changed.toString('utf8'))) : message };
  });
  if (schema !== undefined) edited.unshift(instruction(jsonBySchema(schema)));
  if (!isFitted) return [setMessages(edited.map(({ bytes }) => bytes.toString('utf8')))];
  const fitted = fitMessages(
    edited.map(({ message }) => message),
    parameters,
  );
  if (!isEdited && !fitted.isChanged && schema === undefined) return [];
  return [setMessages(fitted.messages.map((each) => textOf(each, edited)))];
}

interface Element {
  readonly bytes: Buffer;
  readonly message: JsonRecord;
}

function instruction(content: string): Element {
  const message = { role: 'system', content };
  return { bytes: Buffer.from(JSON.stringify(message)), message };
}

function setMessages(texts: readonly string[]): Edit {
  return { op: 'set', path: ['messages'], json: `[${texts.join(',')}]` };
}

/** The text of a message, with edits of the members that changed. */
function textOf({ message, from }: FittedMessage, before: readonly Element[]): string {
  const original = from === undefined ? undefined : before[from];
  if (original === undefined) return JSON.stringify(message);
  if (original.message === message) return original.bytes.toString('utf8');
  const keys = new Set([...Object.keys(original.message), ...Object.keys(message)]);
  const edits = [...keys].flatMap((key): Edit[] => {
    if (original.message[key] === message[key]) return [];
    const value = message[key];
    return [
      value === undefined ? { op: 'remove', path: [key] } : { op: 'set', path: [key], json: JSON.stringify(value) },
    ];
  });
  return editObject(original.bytes, (object) => splice(object, edits)).toString('utf8');
}
