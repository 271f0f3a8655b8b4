import { lastNamed, memberOf } from '../../json/object.ts';
import { isRecord, parseJson, recordOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { splice } from '../../json/splice.ts';
import { trimmed } from './message.ts';

/** Added to events of a response on a WebSocket, which has no headers of its own. */
export interface EventExtras {
  /** Repeated from the message. */
  readonly streamId: string | undefined;
  /** Response headers, in the first event. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** An event for a WebSocket, from its data in a stream: the same JSON, with more members at its end. */
export function socketEvent(data: Buffer, { streamId, headers }: EventExtras): Buffer {
  const extras = [
    ...(headers === undefined ? [] : [`"headers":${JSON.stringify(headers)}`]),
    ...(streamId === undefined ? [] : [`"stream_id":${JSON.stringify(streamId)}`]),
  ];
  const end = data.lastIndexOf('}');
  if (extras.length === 0 || end === -1) return data;
  return Buffer.concat([data.subarray(0, end), Buffer.from(`,${extras.join(',')}}`)]);
}

/** A response that a later message can continue. */
export interface ContinuableResponse {
  readonly id: string;
  /** The items of its `output` as JSON texts, separated by commas. */
  readonly output: Buffer;
}

/** Events with the response object. */
const RESPONSE_EVENTS: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/**
 * An event of a response that continues another one, which the response names. Over HTTP it is created from the whole
 * conversation, and continues none.
 */
export function continuationEvent(data: Buffer, type: string, previousResponseId: string): Buffer {
  if (!RESPONSE_EVENTS.has(type)) return data;
  const scanned = scanObject(data, LIMITS);
  if (!scanned.ok || memberOf(scanned.object, 'response')?.kind !== 'object') return data;
  const json = JSON.stringify(previousResponseId);
  return splice(scanned.object, [{ op: 'set', path: ['response', 'previous_response_id'], json }]);
}

/** Responses are scanned as leniently as JSON.parse, since providers may nest deeply and repeat keys. */
const LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['response'] };
const ENDS = [Buffer.from('"response.completed"'), Buffer.from('"response.incomplete"')];

/** The response in the event that completes it; undefined for all other events. */
export function continuableResponse(data: Buffer): ContinuableResponse | undefined {
  if (!ENDS.some((type) => data.includes(type))) return undefined;
  const scanned = scanObject(data, LIMITS);
  if (!scanned.ok) return undefined;
  const { members } = scanned.object;
  const textOf = (member: { valueStart: number; valueEnd: number } | undefined): unknown =>
    member === undefined ? undefined : parseJson(data.toString('utf8', member.valueStart, member.valueEnd));
  const type = textOf(lastNamed(members, 'type'));
  if (type !== 'response.completed' && type !== 'response.incomplete') return undefined;
  const response = lastNamed(members, 'response')?.members ?? [];
  const id = textOf(lastNamed(response, 'id'));
  const output = lastNamed(response, 'output');
  if (typeof id !== 'string' || output?.kind !== 'array') return undefined;
  return { id, output: trimmed(data.subarray(output.valueStart + 1, output.valueEnd - 1)) };
}

/** An error response that a request over HTTP would get. */
export interface ErrorResponse {
  readonly status: number;
  /** In the shape of the contract. */
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** What WebSocket errors have beside the contract's fields. */
export interface SocketErrorFields {
  /** OpenAI's code, where clients know one; otherwise the error's type. */
  readonly code?: string | undefined;
  readonly param?: string | undefined;
}

/**
 * The `error` event for an error response. Its shape is OpenAI's, with all fields of the contract except that `error.code`
 * is a text, which clients require; the status is beside it.
 */
export function socketErrorEvent(
  { status, body, headers }: ErrorResponse,
  { code, param }: SocketErrorFields,
  streamId: string | undefined,
): string {
  const value = parseJson(body.toString('utf8'));
  const { error, ...rest } = isRecord(value) ? value : {};
  const fields = recordOr(error);
  const named = typeof fields['code'] === 'string' ? fields['code'] : fields['type'];
  return JSON.stringify({
    type: 'error',
    status,
    error: { param: param ?? null, ...fields, code: code ?? named ?? 'internal_error' },
    ...rest,
    headers,
    ...(streamId === undefined ? {} : { stream_id: streamId }),
  });
}
