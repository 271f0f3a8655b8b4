import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../testing/canonical/arbitrary.ts';
import { checkStream } from '../../testing/canonical/check-stream.ts';
import { eventsOf, finalUsage, responseContext, streamingClient } from '../../testing/translate/clients.ts';
import { PROTOCOL_NAMES, type ProtocolName } from '../canonical/protocol-name.ts';
import { collectResponse } from '../canonical/response-collector.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import type { StreamStep } from '../interface/protocol.ts';
import { parseJson } from '../json/record.ts';
import { protocolOf } from '../registry.ts';
import type { SseEvent } from '../sse/event.ts';
import { NO_ADJUSTMENTS } from './adjustments.ts';
import { translatingResponseTransformer } from './response.ts';
import { TranslatingStreamTransformer } from './stream.ts';

/** Bytes that an upstream might send, and should not; one character for each. */
const garbage: Arbitrary<string> = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('latin1')),
);

/** An event in a form that is short to print. */
interface Sent {
  readonly type: string;
  /** One character for each byte. */
  readonly data: string;
}

function asEvent({ type, data }: Sent): SseEvent {
  const bytes = Buffer.from(data, 'latin1');
  return { raw: bytes, data: bytes, type };
}

/** A provider's stream as it should be. */
function goodEvents(name: ProtocolName, events: readonly StreamEvent[]): Sent[] {
  const encoder = streamingClient(name).streamEncoder(responseContext());
  const bytes = events.map((event) => encoder.push([event]) ?? Buffer.alloc(0));
  const sent = eventsOf(Buffer.concat([...bytes, encoder.close(finalUsage(collectResponse(events).usage))]));
  return sent.map(({ type, data }) => ({ type, data: data?.toString('latin1') ?? '' }));
}

/** The same with events lost, repeated, out of order, or with members of another type. */
function badEvents(name: ProtocolName): Arbitrary<Sent[]> {
  const spoil = fc.record({
    kind: fc.constantFrom('drop', 'repeat', 'swap', 'member', 'garbage'),
    at: fc.nat(),
    key: fc.nat(),
    value: fc.jsonValue({ maxDepth: 1 }),
    bytes: garbage,
  });
  return fc.tuple(stream(), fc.array(spoil, { minLength: 1, maxLength: 3 })).map(([events, spoils]) => {
    const sent = goodEvents(name, events);
    for (const { kind, at, key, value, bytes } of spoils) {
      const i = at % sent.length;
      const event = sent[i];
      if (event === undefined) break;
      if (kind === 'drop') sent.splice(i, 1);
      else if (kind === 'repeat') sent.splice(i, 0, event);
      else if (kind === 'swap') sent.splice(i, 2, ...sent.slice(i, i + 2).reverse());
      else sent[i] = { type: event.type, data: kind === 'member' ? withMember(event.data, key, value) : bytes };
    }
    return sent;
  });
}

/** The data with another value somewhere. */
function withMember(data: string, key: number, value: unknown): string {
  const text = Buffer.from(data, 'latin1').toString();
  const total = count(parseJson(text));
  if (total === 1) return data;
  let values = 0;
  const spoiled: unknown = JSON.parse(text, (_key, inner: unknown) => (values++ === key % total ? value : inner));
  return Buffer.from(JSON.stringify(spoiled)).toString('latin1');
}

function count(value: unknown): number {
  const inner = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return inner.reduce((sum: number, one) => sum + count(one), 1);
}

const anyEvents = fc.array(fc.record({ type: fc.constantFrom('', 'error'), data: garbage }), { maxLength: 5 });

describe.each(PROTOCOL_NAMES)('%s upstream', (name) => {
  const { upstream } = protocolOf(name);

  test('no upstream stream makes an invalid one', () => {
    fc.assert(
      fc.property(fc.oneof(badEvents(name), anyEvents), (events) => {
        const decoder = upstream.streamDecoder(responseContext());
        const said: StreamEvent[] = [];
        for (const event of [...events, undefined]) {
          const decoded = event === undefined ? decoder.eof() : decoder.push(asEvent(event));
          if (decoded.kind === 'error' || decoded.kind === 'malformed') {
            checkStream(said, false);
            return;
          }
          said.push(...decoded.events);
          if (decoded.kind === 'end') {
            checkStream(said, true);
            return;
          }
        }
        checkStream(said, false);
      }),
    );
  });

  test('any bytes are at worst malformed', () => {
    fc.assert(
      fc.property(garbage, (text) => {
        const bytes = Buffer.from(text, 'latin1');
        const read = upstream.decodeResponse(bytes, responseContext());
        if (read.kind === 'response') expect(read.response.choices.length).toBeGreaterThan(0);
        expect(Object.values(upstream.readError(bytes)).every((text) => typeof text === 'string')).toBe(true);
      }),
    );
  });

  test.each(PROTOCOL_NAMES)('a malformed stream reaches a client of %s in a valid form, or as an error', (client) => {
    fc.assert(
      fc.property(badEvents(name), (events) => {
        const transformer = new TranslatingStreamTransformer(
          streamingClient(client),
          upstream,
          NO_ADJUSTMENTS,
          responseContext(),
        );
        const pieces: Buffer[] = [];
        let step: StreamStep | undefined;
        for (const event of [...events, undefined]) {
          step = event === undefined ? transformer.eof() : transformer.push(asEvent(event));
          if (step.kind === 'error' || step.kind === 'malformed') return;
          if (step.bytes !== undefined) pieces.push(step.bytes);
          if (step.kind === 'end') break;
        }
        expect(step?.kind).toBe('end');
        pieces.push(transformer.close(finalUsage(undefined)));
        const decoder = protocolOf(client).upstream.streamDecoder(responseContext());
        const kinds = eventsOf(Buffer.concat(pieces)).map((event) => decoder.push(event).kind);
        expect([...kinds, decoder.eof().kind]).not.toContain('malformed');
      }),
      { numRuns: 50 },
    );
  });

  test('a buffered response of garbage reaches no client', () => {
    const transformer = translatingResponseTransformer(
      streamingClient('openai-chat'),
      upstream,
      NO_ADJUSTMENTS,
      responseContext(),
    );
    for (const body of ['', 'null', '[]', '{}', '<html>', '{"choices":[]}', '"text"']) {
      expect(transformer.transform(Buffer.from(body)).kind).not.toBe('response');
    }
  });
});
