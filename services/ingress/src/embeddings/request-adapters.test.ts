import { AuthScheme, Modality, Protocol, type Provider } from '@tollgate/proto/router';
import { parseOpenaiEmbeddings } from '@tollgate/protocols/embeddings/index';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors/api-error.ts';
import { RouteTable } from '../model-routing/route-table.ts';
import { createRequestAdapters } from './request-adapters.ts';

interface Place {
  protocol: Protocol;
  inRotation?: boolean;
}

/** A model with one deployment per provider. */
function entryAt(...places: Place[]) {
  const providers = places.map(
    ({ protocol }, index): Provider => ({
      providerId: `p${index}`,
      protocol,
      baseUrl: 'http://127.0.0.1:1',
      authScheme: AuthScheme.NONE,
      simulated: true,
      headers: {},
      timeouts: undefined,
    }),
  );
  const model = {
    modelId: 'm',
    aliases: [],
    displayName: 'M',
    ownedBy: 'o',
    created: 0n,
    protocols: [],
    inputModalities: [Modality.TEXT],
    outputModalities: [Modality.EMBEDDING],
    contextWindow: 1_000n,
    maxOutputTokens: 0n,
    enabled: true,
    prices: [{ version: 'v', rates: [], tiers: [], effectiveFromMs: 0n }],
    deployments: places.map(({ inRotation = true }, index) => ({
      deploymentId: `d${index}`,
      providerId: `p${index}`,
      upstreamModel: `upstream-${index}`,
      weight: 1,
      priority: 0,
      credentials: [],
      inRotation,
    })),
    tokensPerMessage: 0n,
    tokensPerRequest: 0n,
    maxTokensPerImage: 0n,
    disconnectPolicy: 0 as const,
    limits: undefined,
  };
  const entry = new RouteTable({ version: '1', providers, models: [model] }).find('m');
  if (entry === undefined) throw new Error('the model is not in the table');
  return entry;
}

function requestFor(input: unknown) {
  const reading = parseOpenaiEmbeddings(Buffer.from(JSON.stringify({ model: 'm', input })));
  if (!reading.ok) throw new Error(reading.error.message);
  return reading.request;
}

const OPENAI = { protocol: Protocol.OPENAI_RESPONSES };
const GEMINI = { protocol: Protocol.GEMINI };

describe('createRequestAdapters', () => {
  it('encodes the request in the protocol of each deployment, with its name of the model', () => {
    const entry = entryAt(OPENAI, GEMINI, { protocol: Protocol.ANTHROPIC_MESSAGES });
    const adapters = createRequestAdapters(requestFor('Hello'), entry);
    const made = entry.routes.map((route) => adapters.forRoute(route));
    expect(made).toMatchObject([
      { protocol: 'openai-embeddings', path: '/embeddings' },
      { protocol: 'gemini-embeddings', path: '/models/upstream-1:embedContent' },
      undefined,
    ]);
    expect(made.map((call) => call?.body.toString('utf8'))).toMatchObject([
      '{"model":"upstream-0","input":"Hello"}',
      expect.stringContaining('"models/upstream-1"'),
      undefined,
    ]);
  });

  it('skips deployments that cannot take the request', () => {
    const entry = entryAt(GEMINI, OPENAI);
    const adapters = createRequestAdapters(requestFor([1, 2, 3]), entry);
    expect(entry.routes.map((route) => adapters.forRoute(route)?.protocol)).toEqual([undefined, 'openai-embeddings']);
  });

  it('rejects the request by the field’s name when no deployment in rotation can take it', () => {
    const entry = entryAt(GEMINI, { ...OPENAI, inRotation: false });
    expect(() => createRequestAdapters(requestFor([1, 2, 3]), entry)).toThrow(ApiError);
    expect(() => createRequestAdapters(requestFor([1, 2, 3]), entry)).toThrow(
      /^input: .* does not accept tokens; .*\.$/,
    );
  });
});
