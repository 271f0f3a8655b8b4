import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../testing/canonical/arbitrary.ts';
import { eventsOf, responseContext, streamingClient } from '../../testing/translate/clients.ts';
import { PROTOCOL_NAMES } from '../canonical/protocol-name.ts';
import { protocolOf } from '../registry.ts';
import { NO_ADJUSTMENTS } from './adjustments.ts';
import { TranslatingStreamTransformer } from './stream.ts';

const PAIRS = PROTOCOL_NAMES.flatMap((client) => PROTOCOL_NAMES.map((upstream) => ({ client, upstream })));
const TRACE_ID = '0af76519-16cd-43dd-8448-eb211c80319c';
const ERROR = { message: 'The response broke off.', type: 'internal_error', code: 502, details: null };

describe.each(PAIRS)('$client <- $upstream', ({ client, upstream }) => {
  test('an interrupted response is never complete, and the client gets an error of its protocol', () => {
    fc.assert(
      fc.property(stream({ maxChoices: 1, refusals: false }), fc.nat(), (events, place) => {
        const end = events.findIndex((event) => event.type === 'finish');
        const encoder = streamingClient(upstream).streamEncoder(responseContext());
        const bytes = events.slice(0, 1 + (place % end)).map((event) => encoder.push([event]) ?? Buffer.alloc(0));

        const asked = streamingClient(client);
        const transformer = new TranslatingStreamTransformer(
          asked,
          protocolOf(upstream).upstream,
          NO_ADJUSTMENTS,
          responseContext(),
        );
        const reported: Buffer[] = [];
        for (const event of eventsOf(Buffer.concat(bytes))) {
          const step = transformer.push(event);
          expect(['opening', 'content', 'silent']).toContain(step.kind);
          if ('bytes' in step && step.bytes !== undefined) reported.push(step.bytes);
        }
        expect(transformer.eof().kind).toBe('malformed');

        const error = asked.encodeStreamError(ERROR, TRACE_ID);
        expect(error.toString()).toContain(TRACE_ID);
        const decoder = protocolOf(client).upstream.streamDecoder(responseContext());
        const read = eventsOf(Buffer.concat([...reported, error])).map((event) => decoder.push(event));
        expect(read.map((decoded) => decoded.kind)).not.toContain('malformed');
        expect(read.map((decoded) => decoded.kind)).not.toContain('end');
        expect(read.find((decoded) => decoded.kind === 'error')).toMatchObject({ error: { message: ERROR.message } });
      }),
      { numRuns: 30 },
    );
  });
});
