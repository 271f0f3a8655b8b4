import { Modality, Protocol } from '@tollgate/proto/router';
import { parseOpenaiEmbeddings } from '@tollgate/protocols/embeddings/index';
import { describe, expect, it } from 'vitest';
import { deploymentForTests, providerForTests, routableModel } from '../../testing/route-fixture.ts';
import { ApiError } from '../shared/errors/api-error.ts';
import { createRequestAdapters } from './embeddings.ts';

interface Place {
  protocol: Protocol;
  inRotation?: boolean;
}

/** A model with one deployment per provider. */
function entryAt(...places: Place[]) {
  const providers = places.map(({ protocol }, index) =>
    providerForTests({ providerId: `p${index}`, protocol, baseUrl: 'http://127.0.0.1:1' }),
  );
  const deployments = places.map(({ inRotation = true }, index) =>
    deploymentForTests({
      deploymentId: `d${index}`,
      providerId: `p${index}`,
      upstreamModel: `upstream-${index}`,
      inRotation,
    }),
  );
  const inputModalities = [Modality.TEXT];
  const outputModalities = [Modality.EMBEDDING];
  return routableModel({ inputModalities, outputModalities, contextWindow: 1_000n, deployments }, providers);
}

function requestFor(input: unknown) {
  const result = parseOpenaiEmbeddings(Buffer.from(JSON.stringify({ model: 'm', input })));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
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
