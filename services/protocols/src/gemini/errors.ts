import type { ContextOverflow } from '../interface/context-overflow.ts';
import { type ClientError, readUpstreamError, reasonField, type UpstreamError } from '../interface/errors.ts';
import type { ChunkFrame } from './shared/chunk-frame.ts';

/** The body of an error: the contract's fields, and Google's status. `error` comes first, since Google's SDK reads no further. */
export function encodeError(error: ClientError, traceId: string): string {
  const { type, code, details, overflow } = error;
  const message = overflow === undefined ? error.message : overflowMessage(overflow);
  const body = { message, type, code, details, status: statusWord(code), ...reasonField(error) };
  return JSON.stringify({ error: body, trace_id: traceId });
}

/** Google's words, as far as it has any: it lowers an output limit that does not fit. */
function overflowMessage({ promptTokens, outputTokens, contextTokens }: ContextOverflow): string {
  if (promptTokens === undefined || contextTokens === undefined)
    return 'The input token count exceeds the maximum number of tokens allowed.';
  const limit = outputTokens === undefined ? '' : ` with maxOutputTokens (${outputTokens})`;
  return `The input token count (${promptTokens})${limit} exceeds the maximum number of tokens allowed (${contextTokens}).`;
}

/** An error after the stream has begun, in the stream's frame, with the bytes that close the stream. */
export function encodeStreamError(error: ClientError, traceId: string, frame: ChunkFrame): Buffer {
  return Buffer.concat([frame.text(encodeError(error, traceId)), frame.end()]);
}

/** Google's canonical name for an HTTP status. https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto */
function statusWord(code: number): string {
  switch (code) {
    case 401:
      return 'UNAUTHENTICATED';
    case 402:
      return 'FAILED_PRECONDITION';
    case 403:
      return 'PERMISSION_DENIED';
    case 404:
      return 'NOT_FOUND';
    case 409:
      return 'ABORTED';
    case 429:
      return 'RESOURCE_EXHAUSTED';
    case 499:
      return 'CANCELLED';
    case 501:
      return 'UNIMPLEMENTED';
    case 502:
    case 503:
      return 'UNAVAILABLE';
    case 504:
      return 'DEADLINE_EXCEEDED';
    default:
      return code >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT';
  }
}

const MAX_NAME_CHARACTERS = 200;

/** Decodes the body of Google's error; the field at fault is in a detail, or named in the message. */
export function decodeError(body: Buffer): UpstreamError {
  const error = readUpstreamError(body);
  return error.param === '' ? { ...error, param: fieldOfMessage(error.message) } : error;
}

/** Google's `* GenerateContentRequest.contents[0].parts: ...`, and `Invalid value at 'contents[0].role' (...)`. */
const IN_MESSAGE = /GenerateContentRequest\.([A-Za-z0-9_.[\]]+)|\bat '([A-Za-z0-9_.[\]]+)'/;

function fieldOfMessage(message: string): string {
  const found = IN_MESSAGE.exec(message);
  return (found?.[1] ?? found?.[2] ?? '').slice(0, MAX_NAME_CHARACTERS);
}
