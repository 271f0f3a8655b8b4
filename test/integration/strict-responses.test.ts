import { PROTOCOL_NAMES, type ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { CanonicalRequest } from '@tollgate/protocols/canonical/request';
import type { CanonicalResponse } from '@tollgate/protocols/canonical/response';
import { recordOr } from '@tollgate/protocols/json/record';
import { runToEnd } from '@tollgate/protocols/lists/stages';
import { protocolOf } from '@tollgate/protocols/registry';
import { Diagnostics } from '@tollgate/protocols/request/diagnostics';
import { eventsOf, finalUsage, responseContext } from '@tollgate/protocols/testing/translate/clients';
import { type Digest, decodeStream, digestOf, usageDigest } from '@tollgate/protocols/testing/translate/digest';
import { asMessages } from '@tollgate/protocols/testing/translate/messages-losses';
import { transformResponse, transformStream } from '@tollgate/protocols/testing/translate/transform';
import { type Simulator, startSimulator } from '@tollgate/simulator/testing/start-simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(1_000));

const THINKING = { reasoning: { effort: 'low', show: 'auto' } } as const;
const TOOLS = {
  tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }],
} as const;

/** Controls of the simulator for an output, and the request fields that it requires. */
const SHOWN: readonly (readonly [simulate: object, asked?: Partial<CanonicalRequest>])[] = [
  [{ text: 'Grüße, 世界! \u{1F600} "quoted" \\ and\n\nso on.' }],
  [{ output_tokens: 40 }],
  [{ output_tokens: 'max' }, { maxOutputTokens: 24 }],
  [{ ignore_limit: true }, { maxOutputTokens: 24 }],
  [{ reasoning: 'First this, then\n\nthat.' }, THINKING],
  [{ reasoning: 'Hm.', reasoning_tokens: 30 }, THINKING],
  [{ reasoning: 'Hidden.', reasoning_redacted: true }, THINKING],
  [{ reasoning: 'Told.', reasoning_details: true }, THINKING],
  [
    { reasoning: 'Which?', tool_calls: [{ name: 'weather', arguments: '{"a":1}' }] },
    { ...THINKING, ...TOOLS },
  ],
  [{ cached_tokens: 3 }],
  [{ cached_tokens: 1, cache_write_5m_tokens: 2, cache_write_1h_tokens: 1 }],
  [{ tool_calls: [{ name: 'weather' }] }, TOOLS],
  [
    { text: 'So:', tool_calls: [{ name: 'weather', arguments: '{"n":1.5,"s":"\\u00e9"}' }, { name: 'weather' }] },
    TOOLS,
  ],
  [{ tool_calls: [{ name: 'weather' }], tool_call_ids: true }, TOOLS],
  [{ refusal: 'I would rather not.' }],
  [{ prompt_blocked: true }],
  [{ text: 'See here.', citations: [{ url: 'https://a.example/', title: 'A', start: 0, end: 3 }] }],
  ...['stop', 'length', 'tool_calls', 'content_filter', 'stop_sequence', 'refusal', 'pause', 'context'].map(
    (reason) => [{ finish_reason: reason }] as const,
  ),
  ...['malformed_call', 'recitation', 'other'].map((reason) => [{ finish_reason: reason }] as const),
  ...['omit', 'zero', 'with_finish', 'cumulative'].map((usage) => [{ usage }] as const),
  [{ usage: 'late', usage_delay_ms: 20 }],
];

const CASES = SHOWN.map(([simulate, requested]) => [simulate, requested ?? {}] as const);

interface ClientResponse {
  readonly status: number;
  readonly bytes: Buffer;
}

async function ask(name: ProtocolName, simulate: object, requested: Partial<CanonicalRequest>, isStream: boolean) {
  const { upstream } = protocolOf(name);
  const request = {
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'How is the weather in Paris today?' }] }] as const,
    tools: [],
    names: {},
    ...requested,
  };
  const target = { upstreamModel: 'simulated-small', outputTokens: undefined, isStream, maxOutputTokens: 60_000 };
  const notes = new Diagnostics();
  const body = runToEnd(upstream.encodeRequest(request, target, notes));
  expect(notes.errors).toEqual([]);
  const base = name === 'gemini' ? '/v1beta' : '/v1';
  const response = await fetch(`${simulator.url}${base}${upstream.path(target.upstreamModel, isStream)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ ...body, simulate }),
  });
  const answer: ClientResponse = { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  expect({ status: answer.status, text: answer.bytes.toString() }).toMatchObject({ status: 200 });
  return answer.bytes;
}

function readWhole(name: ProtocolName, bytes: Buffer): CanonicalResponse {
  const reading = protocolOf(name).upstream.decodeResponse(bytes, responseContext());
  if (reading.kind !== 'response') throw new Error(`${JSON.stringify(reading)}: ${bytes.toString()}`);
  return reading.response;
}

function readStream(name: ProtocolName, bytes: Buffer): CanonicalResponse {
  return decodeStream(protocolOf(name).upstream.streamDecoder(responseContext()), eventsOf(bytes));
}

/** Protocols with a separate field for refusals. */
const REFUSALS: readonly ProtocolName[] = ['openai-chat', 'openai-responses'];

/** The parts of a response, from fields of `home`, that a client can receive. */
function said(response: CanonicalResponse, home: ProtocolName, client: ProtocolName, hasIds: boolean): unknown {
  return response.choices.map((choice) => {
    const digest: Digest = digestOf(choice, home);
    const calls = hasIds ? digest.calls : digest.calls.map(withoutId);
    if (REFUSALS.includes(client)) return { ...digest, calls };
    const { refusal, ...rest } = digest;
    // In the other protocols a refusal is text with a finish reason.
    const finish = digest.finish === 'refused' ? 'filtered' : digest.finish;
    return { ...rest, calls, text: digest.text + refusal, finish };
  });
}

function asSent(response: CanonicalResponse, client: ProtocolName, isStream: boolean): CanonicalResponse {
  return client === 'anthropic-messages' ? asMessages(response, isStream) : response;
}

function withoutId(call: unknown): unknown {
  return { ...recordOr(call), id: undefined };
}

/** A stream and a buffered response have different ids, and signatures that depend on them. */
function asStreamed(response: CanonicalResponse, home: ProtocolName): unknown {
  return response.choices.map((choice) => {
    const digest = digestOf(choice, home);
    return { ...digest, calls: digest.calls.map(withoutId), signatures: digest.signatures.length };
  });
}

describe.each(PROTOCOL_NAMES)('an answer of %s', (upstream) => {
  describe.each(CASES)('that shows %j', (simulate, requested) => {
    it('is the same for every client, buffered and streamed', async () => {
      const buffered = await ask(upstream, simulate, requested, false);
      const streamed = await ask(upstream, simulate, requested, true);
      const wholeSaid = readWhole(upstream, buffered);
      const streamSaid = readStream(upstream, streamed);
      expect(asStreamed(streamSaid, upstream)).toEqual(asStreamed(wholeSaid, upstream));
      const hasIds = upstream !== 'gemini' || 'tool_call_ids' in simulate;
      for (const client of PROTOCOL_NAMES) {
        const final = finalUsage(wholeSaid.usage);
        const passed = transformResponse(client, upstream, buffered, final);
        const got = readWhole(client, passed.bytes);
        expect([client, said(got, client, client, hasIds)]).toEqual([
          client,
          said(asSent(wholeSaid, client, false), upstream, client, hasIds),
        ]);
        expect(usageDigest(got.usage)).toEqual(usageDigest(final.usage));
        const streamFinal = finalUsage(streamSaid.usage);
        const gotStreamed = readStream(client, transformStream(client, upstream, streamed, streamFinal));
        expect([client, said(gotStreamed, client, client, hasIds)]).toEqual([
          client,
          said(asSent(streamSaid, client, true), upstream, client, hasIds),
        ]);
        expect(usageDigest(gotStreamed.usage)).toEqual(usageDigest(streamFinal.usage));
      }
    });
  });
});
