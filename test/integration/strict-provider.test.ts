import { wrapCustomTools } from '@tollgate/protocols/canonical/custom-tools';
import type { Message } from '@tollgate/protocols/canonical/message';
import type { Opaque } from '@tollgate/protocols/canonical/opaque';
import type { OutputPart } from '@tollgate/protocols/canonical/part';
import { PROTOCOL_NAMES, type ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { CanonicalRequest } from '@tollgate/protocols/canonical/request';
import { runToEnd } from '@tollgate/protocols/lists/stages';
import { protocolOf } from '@tollgate/protocols/registry';
import { Diagnostics } from '@tollgate/protocols/request/diagnostics';
import { FIELDS, type RequestSwitches, request } from '@tollgate/protocols/testing/canonical/arbitrary';
import { wrapReasoning } from '@tollgate/simulator/model/wrapped-reasoning';
import { type Simulator, startSimulator } from '@tollgate/simulator/testing/start-simulator';
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(1_000));

/** Varied and plain conversations, each with a few fields, as a client's decoder produces them. */
function requests(upstream: ProtocolName): Arbitrary<CanonicalRequest> {
  // The provider requires its own signed parts unchanged; see `signedFor`.
  const origins = PROTOCOL_NAMES.filter((name) => name !== upstream || SEALING.includes(name));
  const all: RequestSwitches = { origins, placed: true };
  const plain: RequestSwitches = { ...all, media: ['image-data'], outputMedia: false };
  const conversations = fc.oneof(
    request({ ...all, opaqueParts: upstream === 'gemini' }),
    request({ ...plain, cacheHints: false, opaqueParts: false }),
    request({ ...plain, media: ['image-data', 'file-data'], resultErrors: false, opaqueParts: false }),
  );
  const few = fc.subarray([...FIELDS], { maxLength: 3 });
  const greeting: Message = { role: 'assistant', parts: [{ type: 'text', text: 'Hail!' }], at: 'messages[0]' };
  const opening = fc.option(fc.constant(greeting), { nil: undefined, freq: 9 });
  return fc.tuple(conversations, few, opening).map(([said, kept, first]) => {
    const { messages, tools, names, ...fields } = said;
    const set = Object.entries(fields).filter(([name]) => kept.some((field) => field === name));
    const turns = messages.map((message) => signedFor(upstream, message));
    return {
      messages: first === undefined ? turns : [first, ...turns],
      tools,
      names,
      ...Object.fromEntries(set),
    };
  });
}

/** Protocols whose signatures the test can create without the original response. */
const SEALING: readonly ProtocolName[] = ['openai-chat', 'anthropic-messages', 'gemini'];

/** The turn, with signatures of its own provider if they are genuine. */
function signedFor(upstream: ProtocolName, message: Message): Message {
  if (message.role !== 'assistant') return message;
  return { ...message, parts: message.parts.map((part) => sealedPart(upstream, part)) };
}

function sealedPart(upstream: ProtocolName, part: OutputPart): OutputPart {
  if (!('opaque' in part) || part.opaque?.origin !== upstream) return part;
  return { ...part, opaque: ownSeal(upstream, 'text' in part ? part.text : '') };
}

function ownSeal(origin: ProtocolName, text: string): Opaque {
  switch (origin) {
    case 'anthropic-messages':
      return { origin, data: wrapReasoning({ kind: 'anthropic', text }) };
    case 'openai-chat':
      return { origin, data: wrapReasoning({ kind: 'chat', text }) };
    case 'openai-responses':
    case 'gemini':
      return { origin, data: wrapReasoning({ kind: origin, text }) };
    default:
      return origin satisfies never;
  }
}

async function send(path: string, body: unknown): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${simulator.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

describe.each(PROTOCOL_NAMES)('a provider of %s that is as strict as the real one', (name) => {
  const { upstream } = protocolOf(name);
  const target = { upstreamModel: 'simulated-small', outputTokens: undefined, maxOutputTokens: 60_000 };

  it('accepts every encoded request', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(requests(name), fc.boolean(), async (said, isStream) => {
        const notes = new Diagnostics();
        const given = upstream.hasCustomTools ? said : runToEnd(wrapCustomTools(said, notes)).request;
        const body = runToEnd(upstream.encodeRequest(given, { ...target, isStream }, notes));
        if (notes.errors.length > 0) return;
        const base = name === 'gemini' ? '/v1beta' : '/v1';
        const response = await send(base + upstream.path(target.upstreamModel, isStream), body);
        expect({ ...response, body }).toMatchObject({ status: 200 });
        taken++;
      }),
      { numRuns: 150 },
    );
    expect(taken).toBeGreaterThan(30);
  });
});
