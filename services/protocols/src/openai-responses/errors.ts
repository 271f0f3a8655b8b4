import { type ClientError, reasonField } from '../interface/errors.ts';
import { clientMessage } from '../openai-chat/errors.ts';
import { encodeSseEvent } from '../sse/event.ts';
import type { StreamPosition } from './shared/event-writer.ts';

/** The body of an error. */
export function encodeError(error: ClientError, traceId: string): string {
  const { type, code, details } = error;
  const body = { message: clientMessage(error), type, code, details, ...reasonField(error) };
  return JSON.stringify({ error: body, trace_id: traceId });
}

/**
 * Encodes the error event after the stream has begun: the response has failed. It continues
 * the stream's numbering, and repeats the response of its first event.
 *
 * @param position undefined if there was no stream yet
 */
export function encodeStreamError(error: ClientError, traceId: string, position: StreamPosition | undefined): Buffer {
  const { type, details } = error;
  const failure = { code: errorCode(error), message: clientMessage(error), type, details };
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

/** OpenAI's code for a kind of error. Codex compacts a conversation when it sees the first one. */
function errorCode({ type, overflow }: ClientError): string {
  if (overflow !== undefined) return 'context_length_exceeded';
  switch (type) {
    case 'rate_limit_exceeded':
      return 'rate_limit_exceeded';
    case 'invalid_request_error':
      return 'invalid_prompt';
    default:
      return 'server_error';
  }
}
