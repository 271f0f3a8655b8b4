import { anthropicMessages } from '../../src/anthropic-messages/index.ts';
import type { ClientRequest } from '../../src/interface/protocol.ts';
import type { JsonRecord } from '../../src/json/record.ts';
import { runToEnd } from '../../src/lists/stages.ts';

const CALL = { model: '', stream: 'none' } as const;

/** The shortest request, with other members. */
export function bodyOf(members: JsonRecord): JsonRecord {
  return { model: 'claude', max_tokens: 4_096, messages: [{ role: 'user', content: 'Hi' }], ...members };
}

/** A valid request; throws if its shape is rejected. */
export function clientRequest(members: JsonRecord): ClientRequest {
  return parseText(JSON.stringify(bodyOf(members)));
}

export function parseText(text: string): ClientRequest {
  const result = runToEnd(anthropicMessages.parseRequest(Buffer.from(text), CALL));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

/** Why the shape of a request is rejected; undefined if it is valid. */
export function shapeError(members: JsonRecord): string | undefined {
  const result = runToEnd(anthropicMessages.parseRequest(Buffer.from(JSON.stringify(bodyOf(members))), CALL));
  return result.ok ? undefined : result.error.message;
}

/** What goes to a provider of the same protocol. */
export function forwarded(request: ClientRequest): JsonRecord {
  return JSON.parse(request.editRequest({ upstreamModel: 'claude', outputTokens: undefined }).toString());
}

/** A conversation with an earlier assistant turn. */
export function conversationAfter(content: readonly JsonRecord[]): JsonRecord {
  return {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: 'Go on' },
    ],
  };
}
