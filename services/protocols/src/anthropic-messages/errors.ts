import type { ClientError } from '../interface/errors.ts';
import { encodeSseEvent } from '../sse/event.ts';

/** The body of an error: the contract's fields, and the top-level `type` that clients of this protocol expect. */
export function encodeError(error: ClientError, traceId: string): string {
  const { message, type, code, details } = error;
  return JSON.stringify({ error: { message, type, code, details }, trace_id: traceId, type: 'error' });
}

/** The error event after the stream has begun. Nothing follows it. */
export function encodeStreamError(error: ClientError, traceId: string): Buffer {
  return encodeSseEvent(encodeError(error, traceId), 'error');
}
