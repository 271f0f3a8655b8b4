import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ResponseSwitches, response, stream } from '../../testing/canonical/arbitrary.ts';
import {
  clientRequest,
  eventsOf,
  finalUsage,
  MINIMAL,
  responseContext,
  streamingClient,
} from '../../testing/translate/clients.ts';
import { type Digest, decodeStream, digestOf, usageDigest } from '../../testing/translate/digest.ts';
import { asMessages } from '../../testing/translate/messages-losses.ts';
import { transformResponse, transformStream } from '../../testing/translate/transform.ts';
import { PROTOCOL_NAMES, type ProtocolName } from '../canonical/protocol-name.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import { collectResponse } from '../canonical/response-collector.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import { protocolOf } from '../registry.ts';

const PAIRS = PROTOCOL_NAMES.flatMap((client) => PROTOCOL_NAMES.map((upstream) => ({ client, upstream })));

/** What only some protocols can say in a response. */
const REFUSALS: readonly ProtocolName[] = ['openai-chat', 'openai-responses'];
const LOGPROBS: readonly ProtocolName[] = ['openai-chat', 'openai-responses', 'gemini'];
const CHOICES: readonly ProtocolName[] = ['openai-chat', 'gemini'];

/** What both can say in a response. */
function expressible(client: ProtocolName, upstream: ProtocolName): ResponseSwitches {
  const both = (names: readonly ProtocolName[]) => names.includes(client) && names.includes(upstream);
  return {
    maxChoices: both(CHOICES) ? 3 : 1,
    flat: true,
    refusals: both(REFUSALS),
    citations: false,
    outputMedia: false,
    customTools: false,
    invalidInputs: false,
    logprobs: both(LOGPROBS),
    origins: upstream === 'openai-chat' ? [] : [upstream],
    opaqueParts: upstream === 'gemini',
  };
}

/** All choices of a response read from fields of a protocol. */
function digests({ choices }: CanonicalResponse, home: ProtocolName): Digest[] {
  return choices.map((choice) => digestOf(choice, home));
}

/** A provider's bytes of a response, as a client of the protocol gets them. */
function streamBytes(name: ProtocolName, events: readonly StreamEvent[], batch: number): Buffer {
  const encoder = streamingClient(name).streamEncoder(responseContext());
  const pieces: Buffer[] = [];
  for (let at = 0; at < events.length; at += batch) {
    const bytes = encoder.push(events.slice(at, at + batch));
    if (bytes !== undefined) pieces.push(bytes);
  }
  pieces.push(encoder.close(finalUsage(collectResponse(events).usage)));
  return Buffer.concat(pieces);
}

describe.each(PAIRS)('$client <- $upstream', ({ client, upstream }) => {
  const isOfMessages = client === 'anthropic-messages' || upstream === 'anthropic-messages';

  test('a stream keeps its content for the client', () => {
    fc.assert(
      fc.property(stream(expressible(client, upstream)), fc.integer({ min: 1, max: 4 }), (events, batch) => {
        const all = collectResponse(events);
        const final = finalUsage(all.usage);
        const bytes = streamBytes(upstream, events, batch);
        const passed = transformStream(client, upstream, bytes, final);
        const decoder = protocolOf(client).upstream.streamDecoder(responseContext());
        const got = decodeStream(decoder, eventsOf(passed));
        const sent = () =>
          decodeStream(protocolOf(upstream).upstream.streamDecoder(responseContext()), eventsOf(bytes));
        const said = isOfMessages ? asMessages(sent(), true) : all;
        expect(digests(got, client)).toEqual(digests(said, upstream));
        expect(usageDigest(got.usage)).toEqual(usageDigest(final.usage));
      }),
      { numRuns: 50 },
    );
  });

  test('a buffered response keeps its content for the client', () => {
    fc.assert(
      fc.property(response(expressible(client, upstream)), (all) => {
        const final = finalUsage(all.usage);
        const provider = clientRequest(upstream, MINIMAL[upstream]);
        const body = provider.encodeResponse(all, final, responseContext());
        const passed = transformResponse(client, upstream, body, final);
        expect(usageDigest(passed.usage)).toEqual(usageDigest(final.usage));
        const got = protocolOf(client).upstream.decodeResponse(passed.bytes, responseContext());
        if (got.kind !== 'response') throw new Error(JSON.stringify(got));
        const sent = protocolOf(upstream).upstream.decodeResponse(body, responseContext());
        if (sent.kind !== 'response') throw new Error(JSON.stringify(sent));
        const said = isOfMessages ? asMessages(sent.response, false) : all;
        expect(digests(got.response, client)).toEqual(digests(said, upstream));
        expect(usageDigest(got.response.usage)).toEqual(usageDigest(final.usage));
      }),
      { numRuns: 50 },
    );
  });
});
