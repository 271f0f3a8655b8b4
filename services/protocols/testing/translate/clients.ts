import type { ProtocolName } from '../../src/canonical/protocol-name.ts';
import { type Usage, usageOf } from '../../src/canonical/usage.ts';
import type { ClientRequest, FinalUsage, PathParameters, ResponseContext } from '../../src/interface/protocol.ts';
import type { JsonRecord } from '../../src/json/record.ts';
import { runToEnd } from '../../src/lists/stages.ts';
import { protocolOf } from '../../src/registry.ts';
import type { SseEvent } from '../../src/sse/event.ts';
import { SseParser } from '../../src/sse/parse.ts';

/** The shortest request of each protocol that says something. */
export const MINIMAL: Readonly<Record<ProtocolName, JsonRecord>> = {
  'openai-chat': { model: 'model-here', messages: [{ role: 'user', content: 'Hi' }] },
  'openai-responses': { model: 'model-here', input: 'Hi' },
  'anthropic-messages': { model: 'model-here', max_tokens: 4_096, messages: [{ role: 'user', content: 'Hi' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
};

export function pathParameters(isStream: boolean): PathParameters {
  return { model: 'model-here', stream: isStream ? 'sse' : 'none' };
}

/** A client's request as the ingress has it. */
export function clientRequest(name: ProtocolName, body: JsonRecord, isStream = false): ClientRequest {
  const result = runToEnd(protocolOf(name).parseRequest(Buffer.from(JSON.stringify(body)), pathParameters(isStream)));
  if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
  return result.request;
}

/** A client that asks for a stream, with the usage at its end. */
export function streamingClient(name: ProtocolName): ClientRequest {
  const asked: JsonRecord = name === 'gemini' ? {} : { stream: true };
  const usage: JsonRecord = name === 'openai-chat' ? { stream_options: { include_usage: true } } : {};
  return clientRequest(name, { ...MINIMAL[name], ...asked, ...usage }, true);
}

/** A context with distinct, deterministic ids. */
export function responseContext(): ResponseContext {
  let ids = 0;
  return {
    model: 'model-here',
    created: 1_800_000_000,
    newId: () => `id${String(++ids).padStart(22, '0')}`,
    costOf: () => '0.25',
  };
}

export function finalUsage(usage: Usage | undefined): FinalUsage {
  return { usage: usage ?? usageOf({ input: 1, output: 2 }), estimated: usage === undefined, cost: '0.25' };
}

/** The events of a stream's bytes. */
export function eventsOf(bytes: Buffer): SseEvent[] {
  const parser = new SseParser({ maxEventBytes: 16 * 1_024 * 1_024 });
  const parsed = parser.push(bytes);
  if (!parsed.ok) throw new Error(parsed.kind);
  const rest = parser.end();
  return rest === undefined ? [...parsed.events] : [...parsed.events, rest];
}
