import { editElements, editObject } from '../../json/edit-elements.ts';
import { elementsOf } from '../../json/elements.ts';
import { type JsonObject, memberOf } from '../../json/object.ts';
import { isRecord, isSet, type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import { REQUEST_LIMITS } from '../../request/parse-json-request.ts';

/**
 * A request in OpenAI's form, from what Mistral's clients write in another one and OpenAI's schema refuses: calls that are
 * forced by `any`, tools and calls without a type, images as bare URLs, and inputs of calls as objects. Undefined if it has
 * nothing of that.
 */
export function* inOpenaiForm(body: Buffer): Stages<Buffer | undefined> {
  const scanned = scanObject(body, REQUEST_LIMITS);
  if (!scanned.ok) return undefined;
  yield;
  const { object } = scanned;
  const { tool_choice: choice, tools, messages } = recordOr(parseJson(body.toString('utf8')));
  yield;
  const edits = [
    ...listEdit(object, 'tools', tools, { isFound: isUntyped, edit: typed }),
    ...(yield* messageEdits(object, messages)),
  ];
  if (choice === 'any') edits.push({ op: 'set', path: ['tool_choice'], json: '"required"' });
  else if (isUntyped(choice)) {
    edits.push({ op: 'set', path: ['tool_choice'], json: JSON.stringify({ ...recordOr(choice), type: 'function' }) });
  }
  return edits.length === 0 ? undefined : splice(object, edits);
}

/** Edits messages in stages, since conversations are long. */
function* messageEdits(object: JsonObject, messages: unknown): Stages<Edit[]> {
  const member = memberOf(object, 'messages');
  if (member === undefined || !Array.isArray(messages) || !messages.some(isForeignMessage)) return [];
  const texts: string[] = [];
  for (const [i, { start, end }] of elementsOf(object, member).entries()) {
    if (isTurnOver()) yield;
    const message: unknown = messages[i];
    const bytes = object.bytes.subarray(start, end);
    texts.push((isForeignMessage(message) ? messageInOpenaiForm(bytes, recordOr(message)) : bytes).toString('utf8'));
  }
  return [{ op: 'set', path: ['messages'], json: `[${texts.join(',')}]` }];
}

interface ElementRule {
  readonly isFound: (value: unknown) => boolean;
  readonly edit: (bytes: Buffer, value: JsonRecord) => Buffer;
}

/** Edits the elements of a list that a rule finds; none if there is no such element. */
function listEdit(object: JsonObject, key: string, list: unknown, { isFound, edit }: ElementRule): Edit[] {
  const member = memberOf(object, key);
  if (member === undefined || !Array.isArray(list) || !list.some(isFound)) return [];
  const json = editElements(object, member, (bytes, i) => {
    const value: unknown = list[i];
    return isFound(value) ? edit(bytes, recordOr(value)) : bytes;
  });
  return [{ op: 'set', path: [key], json }];
}

/** A function that does not say that it is one. */
function isUntyped(value: unknown): boolean {
  return isRecord(value) && !isSet(value['type']) && isRecord(value['function']);
}

const TYPE: Edit = { op: 'set', path: ['type'], json: '"function"' };

function typed(bytes: Buffer): Buffer {
  return editObject(bytes, (object) => splice(object, [TYPE]));
}

function isForeignMessage(value: unknown): boolean {
  const { content, tool_calls: calls } = recordOr(value);
  return (Array.isArray(content) && content.some(isBareImage)) || (Array.isArray(calls) && calls.some(isForeignCall));
}

function messageInOpenaiForm(bytes: Buffer, { content, tool_calls: calls }: JsonRecord): Buffer {
  return editObject(bytes, (object) =>
    splice(object, [
      ...listEdit(object, 'content', content, { isFound: isBareImage, edit: withImageObject }),
      ...listEdit(object, 'tool_calls', calls, { isFound: isForeignCall, edit: callInOpenaiForm }),
    ]),
  );
}

function isBareImage(part: unknown): boolean {
  return isRecord(part) && part['type'] === 'image_url' && typeof part['image_url'] === 'string';
}

function withImageObject(bytes: Buffer, part: JsonRecord): Buffer {
  const json = JSON.stringify({ url: stringOr(part['image_url']) });
  return editObject(bytes, (object) => splice(object, [{ op: 'set', path: ['image_url'], json }]));
}

function isForeignCall(call: unknown): boolean {
  return isUntyped(call) || isRecord(recordOr(recordOr(call)['function'])['arguments']);
}

function callInOpenaiForm(bytes: Buffer): Buffer {
  return editObject(bytes, (object) => {
    const called = memberOf(object, 'function');
    if (called === undefined) return bytes;
    const inner = editObject(object.bytes.subarray(called.valueStart, called.valueEnd), withTextArguments);
    return splice(object, [TYPE, { op: 'set', path: ['function'], json: inner.toString('utf8') }]);
  });
}

/** The text of the client's object, in which numbers have all their digits. */
function withTextArguments(object: JsonObject): Buffer {
  const input = memberOf(object, 'arguments');
  if (input?.kind !== 'object') return object.bytes;
  const text = object.bytes.toString('utf8', input.valueStart, input.valueEnd);
  return splice(object, [{ op: 'set', path: ['arguments'], json: JSON.stringify(text) }]);
}
