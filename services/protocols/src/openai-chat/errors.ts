import type { ClientError } from '../interface/errors.ts';
import { encodeSseEvent } from '../sse/event.ts';

/** The body of an error. */
export function encodeError(error: ClientError, traceId: string): string {
  const { message, type, code, details } = error;
  return JSON.stringify({ error: { message, type, code, details }, trace_id: traceId });
}

/** Encodes the error event after the stream has begun. */
export function encodeStreamError(error: ClientError, traceId: string): Buffer {
  return encodeSseEvent(encodeError(error, traceId));
}
