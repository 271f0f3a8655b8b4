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
 * Encodes an error after the stream has begun, in two events, as OpenAI does: `error`, at which OpenAI's SDKs throw with
 * its message, and the failed response, the only one of the two that Codex reads. They continue the stream's numbering;
 * the failed response repeats the response of the stream's first event.
 *
 * @param position undefined if there was no stream yet
 */
export function encodeStreamError(error: ClientError, traceId: string, position: StreamPosition | undefined): Buffer {
  const { type, details } = error;
  const [code, message] = [errorCode(error), clientMessage(error)];
  const sequence = position?.sequence ?? 0;
  const response = {
    id: `resp_${position?.newId() ?? traceId}`,
    object: 'response',
    created_at: position?.created ?? 0,
    output: [],
    ...position?.response,
    ...(position !== undefined && { model: position.model }),
    status: 'failed',
    completed_at: null,
    error: { code, message, type, details },
    incomplete_details: null,
  };
  const first = {
    type: 'error',
    sequence_number: sequence,
    error: { code, message, type, param: null },
    trace_id: traceId,
  };
  const last = { type: 'response.failed', sequence_number: sequence + 1, response, trace_id: traceId };
  return Buffer.concat([first, last].map((event) => encodeSseEvent(JSON.stringify(event), event.type)));
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
