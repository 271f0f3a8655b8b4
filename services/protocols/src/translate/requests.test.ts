import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELDS, MEDIA_KINDS, type RequestSwitches, request } from '../../testing/canonical/arbitrary.ts';
import { pathParameters } from '../../testing/translate/clients.ts';
import type { Message } from '../canonical/message.ts';
import { PROTOCOL_NAMES } from '../canonical/protocol-name.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import { inputObject } from '../canonical/tool-call.ts';
import type { EncodeTarget } from '../interface/protocol.ts';
import { recordOr } from '../json/record.ts';
import { runToEnd } from '../lists/stages.ts';
import { protocolOf } from '../registry.ts';
import { Diagnostics } from '../request/diagnostics.ts';
import { translateRequest } from './request.ts';

const PAIRS = PROTOCOL_NAMES.flatMap((client) => PROTOCOL_NAMES.map((upstream) => ({ client, upstream })));
/** A model that accepts all that its protocol can express. */
const TARGET: EncodeTarget = {
  upstreamModel: 'model-there',
  outputTokens: undefined,
  isStream: false,
  maxOutputTokens: 100_000,
  parameters: { sampling: 'any', minOutputTokens: 1, maxUserIdLength: 10_000 },
};

/** Requests that every protocol supports, so that nothing may be rejected. */
const EXPRESSIBLE: RequestSwitches = {
  fields: ['maxOutputTokens', 'temperature', 'topP', 'userId'],
  media: ['image-data'],
  imageDetail: false,
  cacheHints: false,
  citations: false,
  refusals: false,
  origins: [],
  unsignedReasoning: false,
  outputMedia: false,
  customTools: false,
  strict: false,
  bareFunctions: false,
  invalidInputs: false,
  resultMedia: false,
  resultErrors: false,
  lateInstructions: false,
  developer: false,
  participantNames: false,
  prefill: false,
};

/**
 * Any canonical request, supported or not: plain conversations with a few fields of any kind, and any
 * conversations.
 */
const anything: Arbitrary<CanonicalRequest> = fc.oneof(
  withFew({ ...EXPRESSIBLE, fields: FIELDS }),
  withFew({ ...EXPRESSIBLE, fields: FIELDS, media: MEDIA_KINDS, resultMedia: true, prefill: true }),
  withFew({ fields: FIELDS, media: ['image-data', 'file-data'], citations: false, outputMedia: false }),
  withFew({}),
);

function withFew(switches: RequestSwitches): Arbitrary<CanonicalRequest> {
  const few = fc.subarray([...FIELDS], { maxLength: 3 });
  return fc.tuple(request(switches), few).map(([{ messages, tools, names, ...fields }, kept]) => {
    const entries = Object.entries(fields).filter(([name]) => kept.some((field) => field === name));
    return { messages, tools, names, ...Object.fromEntries(entries) };
  });
}

/** The conversation, whatever the shape of its turns. */
function saidIn(messages: readonly Message[]): unknown {
  const said = { instructions: '', user: [] as unknown[], assistant: [] as unknown[], results: [] as unknown[] };
  for (const message of messages) {
    switch (message.role) {
      case 'system':
      case 'developer':
        said.instructions += spaceless(message.parts);
        break;
      case 'user':
        said.user.push(...message.parts.flatMap(contentOf));
        break;
      case 'assistant':
        said.assistant.push(...message.parts.flatMap(contentOf));
        break;
      case 'tool':
        said.results.push(...message.parts.map((part) => ({ to: part.callId, said: spaceless(part.parts) })));
        break;
      default:
        message satisfies never;
    }
  }
  return said;
}

/** Texts together; protocols part them by white space. */
function spaceless(parts: readonly object[]): string {
  return parts.map(textOf).join('').replaceAll(/\s/g, '');
}

function textOf(part: object): string {
  return 'text' in part && typeof part.text === 'string' ? part.text : '';
}

function contentOf(part: Message['parts'][number]): unknown[] {
  if (part.type === 'tool-call') return [{ id: part.id, name: part.name, input: inputObject(part.input) }];
  if (part.type === 'image') return [part.source];
  return part.type === 'text' ? [part.text] : [];
}

describe.each(PAIRS)('$client -> $upstream', ({ client, upstream }) => {
  /** The bytes a client of the protocol would send. */
  function bytesOf(said: CanonicalRequest): Buffer | undefined {
    const diagnostics = new Diagnostics();
    const json = runToEnd(protocolOf(client).upstream.encodeRequest(said, TARGET, diagnostics));
    return diagnostics.errors.length > 0 ? undefined : Buffer.from(JSON.stringify(json));
  }

  test('fields that both support arrive, in a valid request', () => {
    fc.assert(
      fc.property(request(EXPRESSIBLE), (said) => {
        const bytes = bytesOf(said);
        if (bytes === undefined) throw new Error('refused by the client’s own protocol');
        const result = runToEnd(protocolOf(client).parseRequest(bytes, pathParameters(false)));
        if (!result.ok) throw new Error(result.error.message);
        const translated = translateRequest(result.request, protocolOf(upstream).upstream, TARGET);
        if (!translated.ok) throw new Error(translated.error.message);
        const arrived = runToEnd(
          protocolOf(upstream).parseRequest(Buffer.from(JSON.stringify(translated.json)), pathParameters(false)),
        );
        if (!arrived.ok) throw new Error(arrived.error.message);
        const canonical = runToEnd(arrived.request.canonical());
        if (!canonical.ok) throw new Error(canonical.error.message);
        expect(saidIn(canonical.request.messages)).toEqual(saidIn(said.messages));
        expect(canonical.request.tools.map((tool) => tool.name)).toEqual(said.tools.map((tool) => tool.name));
        expect(canonical.request.topP).toBe(said.topP);
        if (said.maxOutputTokens !== undefined) expect(arrived.request.outputLimit.tokens).toBe(said.maxOutputTokens);
      }),
      { numRuns: 50 },
    );
  });

  test('any request is valid at the provider, or rejected by name', () => {
    fc.assert(
      fc.property(anything, (said) => {
        const bytes = bytesOf(said);
        if (bytes === undefined) return;
        const result = runToEnd(protocolOf(client).parseRequest(bytes, pathParameters(false)));
        if (!result.ok) throw new Error(result.error.message);
        const translated = translateRequest(result.request, protocolOf(upstream).upstream, TARGET);
        if (!translated.ok) {
          expect(translated.error.path).not.toBe('');
          expect(translated.error.message.startsWith(translated.error.path)).toBe(true);
          return;
        }
        for (const diagnostic of translated.warnings) expect(diagnostic.message.startsWith(diagnostic.path)).toBe(true);
        const arrived = runToEnd(
          protocolOf(upstream).parseRequest(Buffer.from(JSON.stringify(translated.json)), pathParameters(false)),
        );
        if (!arrived.ok) throw new Error(arrived.error.message);
        expect(arrived.request.policy.errors).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});

describe.each(PROTOCOL_NAMES)('-> %s', (name) => {
  test('errors of a provider name the client’s field', () => {
    fc.assert(
      fc.property(request({ ...EXPRESSIBLE, placed: true, lateInstructions: true }), (said) => {
        const diagnostics = new Diagnostics();
        const json = runToEnd(protocolOf(name).upstream.encodeRequest(said, TARGET, diagnostics));
        const indexed = [...diagnostics.places().keys()].filter((path) => path.includes('['));
        expect(indexed.length).toBeGreaterThan(0);
        for (const path of indexed) expect([path, valueAt(json, path)]).not.toEqual([path, undefined]);
      }),
      { numRuns: 50 },
    );
  });
});

/** The value at a path; a single text may replace a list of one. */
function valueAt(value: unknown, path: string): unknown {
  const keys = path.split(/[.[\]]/).filter((key) => key !== '');
  let inner = value;
  for (const key of keys) {
    if (typeof inner === 'string' && key === '0') return inner;
    inner = Array.isArray(inner) ? inner[Number(key)] : recordOr(inner)[key];
  }
  return inner;
}
