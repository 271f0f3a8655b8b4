import type { ClientError } from '../client-error.ts';
import { encodeSseEvent } from '../sse/encode.ts';

/** Encodes the event that tells the client of an error after its stream has begun. */
export function encodeChatStreamError(error: ClientError, traceId: string): Buffer {
  const { message, type, code, details } = error;
  return encodeSseEvent(JSON.stringify({ error: { message, type, code, details }, trace_id: traceId }));
}
