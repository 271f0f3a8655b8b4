import type { ClientError } from '../client-error.ts';
import { formatPath } from '../json/path.ts';
import { encodeSseEvent } from '../sse/encode.ts';
import { readUpstreamError, type UpstreamError } from '../upstream-error.ts';

/** The body of an error: the contract's members, and the `type` at the top that clients of this protocol look for. */
export function messagesErrorBody(error: ClientError, traceId: string): string {
  const { message, type, code, details } = error;
  return JSON.stringify({ error: { message, type, code, details }, trace_id: traceId, type: 'error' });
}

/** The event that tells of an error after the stream has begun. Nothing follows it. */
export function encodeMessagesStreamError(error: ClientError, traceId: string): Buffer {
  return encodeSseEvent(messagesErrorBody(error, traceId), 'error');
}

/** Reads an error. Anthropic names the field at fault only in front of its message, as `messages.0.content.1.text: ...`. */
export function readMessagesError(body: Buffer): UpstreamError {
  return withParam(readUpstreamError(body));
}

/** The error with the field that its message names. */
export function withParam(error: UpstreamError): UpstreamError {
  if (error.param !== '') return error;
  const named = /^([a-z_]+(?:\.[A-Za-z0-9_-]+)*): /.exec(error.message)?.[1];
  return named === undefined ? error : { ...error, param: fieldPath(named) };
}

/** Beside keys and indices, Anthropic's paths have the kind of an element behind its index, and of a `source` behind it. */
function fieldPath(dotted: string): string {
  const path: (string | number)[] = [];
  let isKind = false;
  for (const segment of dotted.split('.')) {
    if (/^\d+$/.test(segment)) {
      path.push(Number(segment));
      isKind = true;
    } else if (isKind && ELEMENT_KINDS.has(segment)) {
      isKind = false;
    } else {
      path.push(segment);
      isKind = segment === 'source';
    }
  }
  return formatPath(path);
}

const ELEMENT_KINDS: ReadonlySet<string> = new Set([
  'image',
  'document',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'search_result',
  'custom',
  'base64',
  'url',
  'file',
]);
