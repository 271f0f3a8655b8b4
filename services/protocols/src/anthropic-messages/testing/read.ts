import type { JsonRecord } from '../../json/record.ts';
import type { ClientRequest } from '../../protocol.ts';
import { runToEnd } from '../../stages.ts';
import { anthropicMessages } from '../index.ts';

const CALL = { model: '', stream: 'none' } as const;

/** The shortest request, with other members. */
export function bodyOf(members: JsonRecord): JsonRecord {
  return { model: 'claude', max_tokens: 4_096, messages: [{ role: 'user', content: 'Hi' }], ...members };
}

/** A well-formed request; throws where it is refused for its shape. */
export function read(members: JsonRecord): ClientRequest {
  return readText(JSON.stringify(bodyOf(members)));
}

export function readText(text: string): ClientRequest {
  const reading = runToEnd(anthropicMessages.readRequest(Buffer.from(text), CALL));
  if (!reading.ok) throw new Error(reading.error.message);
  return reading.request;
}

/** Why a request is refused for its shape; undefined when it is not. */
export function shapeError(members: JsonRecord): string | undefined {
  const reading = runToEnd(anthropicMessages.readRequest(Buffer.from(JSON.stringify(bodyOf(members))), CALL));
  return reading.ok ? undefined : reading.error.message;
}

/** What goes to a provider of the same protocol. */
export function forwarded(request: ClientRequest): JsonRecord {
  return JSON.parse(request.forward({ upstreamModel: 'claude', outputTokens: undefined }).toString());
}

/** A conversation with what the assistant said before. */
export function after(content: readonly JsonRecord[]): JsonRecord {
  return {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: 'Go on' },
    ],
  };
}
