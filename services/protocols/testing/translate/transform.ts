import type { ProtocolName } from '../../src/canonical/protocol-name.ts';
import type { FinalUsage } from '../../src/interface/protocol.ts';
import { protocolOf } from '../../src/registry.ts';
import { NO_ADJUSTMENTS } from '../../src/translate/adjustments.ts';
import { translatingResponseTransformer } from '../../src/translate/response.ts';
import { TranslatingStreamTransformer } from '../../src/translate/stream.ts';
import { clientRequest, eventsOf, MINIMAL, responseContext, streamingClient } from './clients.ts';

/** Returns the client's bytes of a provider's complete stream. */
export function transformStream(
  client: ProtocolName,
  upstream: ProtocolName,
  bytes: Buffer,
  final: FinalUsage,
): Buffer {
  const asked = streamingClient(client);
  const transformer = new TranslatingStreamTransformer(
    asked,
    protocolOf(upstream).upstream,
    NO_ADJUSTMENTS,
    responseContext(),
  );
  const pieces: Buffer[] = [];
  let isOver = false;
  for (const event of eventsOf(bytes)) {
    if (isOver) break;
    const step = transformer.push(event);
    if (step.kind === 'error' || step.kind === 'malformed') throw new Error(JSON.stringify(step));
    if (step.bytes !== undefined) pieces.push(step.bytes);
    isOver = step.kind === 'end';
  }
  if (!isOver) {
    const step = transformer.eof();
    if (step.kind !== 'end') throw new Error(JSON.stringify(step));
    if (step.bytes !== undefined) pieces.push(step.bytes);
  }
  return Buffer.concat([...pieces, transformer.close(final)]);
}

/** Takes a provider's buffered response to a client: what was read of it, and the bytes that the client gets. */
export function transformResponse(client: ProtocolName, upstream: ProtocolName, body: Buffer, final: FinalUsage) {
  const asked = clientRequest(client, MINIMAL[client]);
  const result = translatingResponseTransformer(
    asked,
    protocolOf(upstream).upstream,
    NO_ADJUSTMENTS,
    responseContext(),
  ).transform(body);
  if (result.kind !== 'response') throw new Error(JSON.stringify(result));
  return { usage: result.usage, bytes: result.render(final) };
}
