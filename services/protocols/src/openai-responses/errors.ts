import type { ClientError } from '../interface/errors.ts';
import { encodeSseEvent } from '../sse/event.ts';
import type { StreamPosition } from './shared/event-writer.ts';

/** The body of an error. */
export function encodeError(error: ClientError, traceId: string): string {
  const { message, type, code, details } = error;
  return JSON.stringify({ error: { message, type, code, details }, trace_id: traceId });
}

/**
 * Encodes the error event after the stream has begun: the response has failed. It continues
 * the stream's numbering, and repeats the response of its first event.
 *
 * @param position undefined if there was no stream yet
 */
export function encodeStreamError(error: ClientError, traceId: string, position: StreamPosition | undefined): Buffer {
  const { message, type, details } = error;
  const failure = { code: errorCode(type), message, type, details };
  const response = {
    id: `resp_${position?.newId() ?? traceId}`,
    object: 'response',
    created_at: position?.created ?? 0,
    output: [],
    ...position?.response,
    ...(position !== undefined && { model: position.model }),
    status: 'failed',
    completed_at: null,
    error: failure,
    incomplete_details: null,
  };
  const event = {
    type: 'response.failed',
    sequence_number: position?.sequence ?? 0,
    response,
    trace_id: traceId,
  };
  return encodeSseEvent(JSON.stringify(event), event.type);
}

/** The protocol's code for a kind of error, from its closed list. */
function errorCode(type: string): string {
  switch (type) {
    case 'rate_limit_exceeded':
      return 'rate_limit_exceeded';
    case 'invalid_request_error':
      return 'invalid_prompt';
    default:
      return 'server_error';
  }
}
