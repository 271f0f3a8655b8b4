import { type JsonMember, type JsonObject, memberOf } from '../../json/object.ts';
import { parseJson } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import type { Stages } from '../../lists/stages.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import { MAX_REQUEST_DEPTH, MAX_REQUEST_VALUES } from '../../request/parse-json-request.ts';

/** A message of a client on a WebSocket that creates a response. */
export interface CreateMessage {
  readonly object: JsonObject;
  /** The response to continue; undefined for a new conversation. */
  readonly previousResponseId: string | undefined;
  /** False for a warm-up: nothing is generated, and the response can be continued. */
  readonly generates: boolean;
  /** The client's name for a conversation, repeated in the events of its response. */
  readonly streamId: string | undefined;
}

export type SocketMessage =
  | { readonly kind: 'create'; readonly message: CreateMessage }
  /** An acknowledgement, which needs no response. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'invalid'; readonly error: Diagnostic };

const LIMITS = { maxDepth: MAX_REQUEST_DEPTH, maxValues: MAX_REQUEST_VALUES, uniqueKeys: true, within: [] };

/** Maximum length of an id in a message. */
const MAX_ID_CHARACTERS = 256;

/** Sent by Codex once it has processed a response. */
const ACKNOWLEDGEMENT = 'response.processed';

/** Reads a message, without checking the fields that it has in common with an HTTP request. */
export function readSocketMessage(bytes: Buffer): SocketMessage {
  const scanned = scanObject(bytes, LIMITS);
  if (!scanned.ok) return invalid({ path: scanned.error.path, message: scanned.error.message });
  const { object } = scanned;
  const type = shortValue(object, 'type');
  if (type === ACKNOWLEDGEMENT) return { kind: 'ignored' };
  if (type !== 'response.create')
    return invalid(diagnostic('type', 'expected "response.create", the only message that is supported'));
  const generate = shortValue(object, 'generate') ?? true;
  if (typeof generate !== 'boolean') return invalid(diagnostic('generate', 'expected a boolean'));
  const previous = idOf(object, 'previous_response_id');
  if (previous === INVALID_ID) return invalid(wrongId('previous_response_id'));
  const streamId = idOf(object, 'stream_id');
  if (streamId === INVALID_ID) return invalid(wrongId('stream_id'));
  return { kind: 'create', message: { object, previousResponseId: previous, generates: generate, streamId } };
}

const INVALID_ID = Symbol('invalid id');

function idOf(object: JsonObject, field: string): string | undefined | typeof INVALID_ID {
  const value = shortValue(object, field) ?? undefined;
  if (value === undefined) return undefined;
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARACTERS ? value : INVALID_ID;
}

function wrongId(field: string): Diagnostic {
  return diagnostic(field, `expected a string of 1 to ${MAX_ID_CHARACTERS} characters`);
}

function invalid(error: Diagnostic): SocketMessage {
  return { kind: 'invalid', error };
}

/** Longer values of the fields read here are invalid. They are not parsed, since they may be large. */
const MAX_VALUE_BYTES = 8 * MAX_ID_CHARACTERS;

/** The value of a short field; undefined if it is missing, and an object in place of a long one. */
function shortValue(object: JsonObject, field: string): unknown {
  const member = memberOf(object, field);
  if (member === undefined) return undefined;
  if (member.valueEnd - member.valueStart > MAX_VALUE_BYTES) return {};
  return parseJson(object.bytes.toString('utf8', member.valueStart, member.valueEnd));
}

/** The body of the HTTP request that a message stands for. */
export interface MessageBody {
  readonly bytes: Buffer;
  /** The items of its `input` as JSON texts, separated by commas. Undefined if `input` is missing or malformed. */
  readonly items: Buffer | undefined;
}

/** Members of messages only. A response to a message is always streamed. */
const OWN_MEMBERS: ReadonlySet<string> = new Set([
  'type',
  'generate',
  'previous_response_id',
  'stream_id',
  'stream',
  'input',
]);

const EMPTY = Buffer.alloc(0);
const COMMA = Buffer.from(',');

/** The length of the body, at most. */
export function maxBodyBytes({ object }: CreateMessage, earlier: Buffer | undefined): number {
  return object.bytes.length + (earlier?.length ?? 0) + 100;
}

/**
 * Creates the body of the request that a message stands for. All members but those of messages stay as they are.
 *
 * @param earlier items of the response that the message continues, which come first in `input`
 */
export function* messageBody({ object }: CreateMessage, earlier: Buffer | undefined): Stages<MessageBody> {
  const { bytes } = object;
  const input = memberOf(object, 'input');
  const items = joinItems(earlier, input === undefined ? EMPTY : inputItems(bytes, input));
  yield;
  const pieces: Buffer[] = [Buffer.from('{"stream":true')];
  for (const { key, keyStart, valueEnd } of object.members) {
    if (!OWN_MEMBERS.has(key)) pieces.push(COMMA, bytes.subarray(keyStart, valueEnd));
  }
  const isChanged = earlier !== undefined && items !== undefined;
  if (isChanged) pieces.push(Buffer.from(',"input":['), items, Buffer.from(']'));
  else if (input !== undefined) pieces.push(COMMA, bytes.subarray(input.keyStart, input.valueEnd));
  pieces.push(Buffer.from('}'));
  yield;
  return { bytes: Buffer.concat(pieces), items };
}

/** The items of `input`: its elements, or the one message that a text stands for; undefined for anything else. */
function inputItems(bytes: Buffer, { kind, valueStart, valueEnd }: JsonMember): Buffer | undefined {
  switch (kind) {
    case 'array':
      return trimmed(bytes.subarray(valueStart + 1, valueEnd - 1));
    case 'string':
      return Buffer.concat([
        Buffer.from('{"type":"message","role":"user","content":'),
        bytes.subarray(valueStart, valueEnd),
        Buffer.from('}'),
      ]);
    case 'null':
      return EMPTY;
    case 'object':
    case 'number':
    case 'true':
    case 'false':
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** The items of two lists in one. */
export function joinItems(first: Buffer | undefined, second: Buffer | undefined): Buffer | undefined {
  if (second === undefined) return undefined;
  if (first === undefined || first.length === 0) return second;
  return second.length === 0 ? first : Buffer.concat([first, COMMA, second]);
}

/** The items between the brackets of an array that is known to be valid. */
export function trimmed(items: Buffer): Buffer {
  let start = 0;
  let end = items.length;
  while (start < end && isSpace(items[start])) start++;
  while (end > start && isSpace(items[end - 1])) end--;
  return items.subarray(start, end);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
