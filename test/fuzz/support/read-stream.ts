import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { isObject } from './upstream/read-usage.ts';

/** How a stream reports its end; `silent`: it does not. */
export type StreamEnd = 'complete' | 'error' | 'silent';

/** Reads the end of a complete stream as a client of the protocol does. */
export function endOfStream(protocol: ProtocolName, text: string, traceId: string): StreamEnd {
  const events = protocol === 'gemini' && text.startsWith('[') ? arrayEvents(text) : sseEvents(text);
  const last = events.at(-1);
  if (last === undefined) return 'silent';
  if (isObject(last) && last['trace_id'] === traceId && tellsError(protocol, last)) return 'error';
  return isLast(protocol, last, events) ? 'complete' : 'silent';
}

function tellsError(protocol: ProtocolName, event: Record<string, unknown>): boolean {
  switch (protocol) {
    case 'openai-chat':
    case 'gemini':
      return isObject(event['error']);
    case 'openai-responses':
      return event['type'] === 'response.failed';
    case 'anthropic-messages':
      return event['type'] === 'error' && isObject(event['error']);
    default:
      return protocol satisfies never;
  }
}

function isLast(protocol: ProtocolName, last: unknown, events: readonly unknown[]): boolean {
  const type = isObject(last) ? last['type'] : undefined;
  switch (protocol) {
    case 'openai-chat':
      return last === '[DONE]';
    case 'openai-responses':
      return type === 'response.completed' || type === 'response.incomplete';
    case 'anthropic-messages':
      return type === 'message_stop';
    case 'gemini':
      return events.some(endsCandidate) && isObject(last) && isObject(last['usageMetadata']);
    default:
      return protocol satisfies never;
  }
}

function endsCandidate(event: unknown): boolean {
  if (!isObject(event)) return false;
  const { candidates, promptFeedback } = event;
  if (isObject(promptFeedback) && promptFeedback['blockReason'] !== undefined) return true;
  return Array.isArray(candidates) && candidates.some((one) => isObject(one) && one['finishReason'] !== undefined);
}

/** The data of each event, parsed if it is JSON. */
function sseEvents(text: string): unknown[] {
  return text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((event) =>
      event
        .split(/\r\n|\n|\r/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => parsed(data) ?? data);
}

function arrayEvents(text: string): unknown[] {
  const value = parsed(text);
  return Array.isArray(value) ? value : [];
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
