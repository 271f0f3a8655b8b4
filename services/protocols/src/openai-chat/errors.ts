import type { ContextOverflow } from '../interface/context-overflow.ts';
import { type ClientError, reasonField } from '../interface/errors.ts';
import { encodeSseEvent } from '../sse/event.ts';

/** The body of an error. */
export function encodeError(error: ClientError, traceId: string): string {
  const { type, code, details } = error;
  const body = { message: clientMessage(error), type, code, details, ...reasonField(error) };
  return JSON.stringify({ error: body, trace_id: traceId });
}

/** Encodes the error event after the stream has begun. */
export function encodeStreamError(error: ClientError, traceId: string): Buffer {
  return encodeSseEvent(encodeError(error, traceId));
}

/** The message to clients of either OpenAI protocol. */
export function clientMessage({ message, overflow }: ClientError): string {
  return overflow === undefined ? message : `context_length_exceeded: ${overflowWords(overflow)}`;
}

const TOO_LONG = 'Your input exceeds the context window of this model.';

/** OpenAI's words. Its code stands before them, since `error.code` is the HTTP status here. */
function overflowWords({ promptTokens, outputTokens, contextTokens }: ContextOverflow): string {
  if (promptTokens === undefined || contextTokens === undefined)
    return `${TOO_LONG} Please adjust your input and try again.`;
  const maximum = `This model's maximum context length is ${contextTokens} tokens.`;
  // LangChain for Python knows an error in a stream by the first sentence.
  return outputTokens === undefined
    ? `${TOO_LONG} ${maximum} However, your input resulted in ${promptTokens} tokens. Please reduce the length of the input.`
    : `${maximum} However, you requested ${promptTokens + outputTokens} tokens (${promptTokens} in the messages, ` +
        `${outputTokens} in the completion). Please reduce the length of the messages or completion.`;
}
