import type { ContextOverflow } from '../interface/context-overflow.ts';
import { type ClientError, reasonField } from '../interface/errors.ts';
import { encodeSseEvent } from '../sse/event.ts';

/** The body of an error: the contract's fields, and the top-level `type` that clients of this protocol expect. */
export function encodeError(error: ClientError, traceId: string): string {
  const { type, code, details, overflow } = error;
  const message = overflow === undefined ? error.message : overflowMessage(overflow);
  const body = { message, type, code, details, ...reasonField(error) };
  return JSON.stringify({ error: body, trace_id: traceId, type: 'error' });
}

/**
 * Anthropic's words. Claude Code reads the figures from them: it compacts by what the prompt is too long, or lowers
 * `max_tokens`.
 */
function overflowMessage({ promptTokens, outputTokens, contextTokens }: ContextOverflow): string {
  if (promptTokens === undefined || contextTokens === undefined)
    return 'prompt is too long: it exceeds the context window of this model';
  if (outputTokens === undefined) return `prompt is too long: ${promptTokens} tokens > ${contextTokens} maximum`;
  return (
    `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${outputTokens} > ${contextTokens}, ` +
    'decrease input length or `max_tokens` and try again'
  );
}

/** The error event after the stream has begun. Nothing follows it. */
export function encodeStreamError(error: ClientError, traceId: string): Buffer {
  return encodeSseEvent(encodeError(error, traceId), 'error');
}
