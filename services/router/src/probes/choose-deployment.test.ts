import { Bucket, Modality, Model, Provider, type RouteTable } from '@tollgate/proto/router';
import { describe, expect, it } from 'vitest';
import { chooseDeployment } from './choose-deployment.ts';

const NOW = 1_000;

interface Entry {
  provider?: string;
  input?: bigint;
  output?: bigint;
  /** From after NOW. */
  later?: bigint;
  embedding?: boolean;
  aliases?: string[];
}

function priceOf(input: bigint, output: bigint, effectiveFromMs: bigint) {
  const rates = [
    { bucket: Bucket.INPUT, nanosPerMillion: input },
    { bucket: Bucket.OUTPUT, nanosPerMillion: output },
  ];
  return { version: 'v', rates, effectiveFromMs };
}

function tableOf(entries: Readonly<Record<string, Entry>>): RouteTable {
  return {
    version: '1',
    providers: ['p', 'other', 'empty'].map((providerId) => Provider.fromPartial({ providerId })),
    models: Object.entries(entries).map(
      ([modelId, { provider = 'p', input = 1n, output = 1n, later, embedding = false, aliases = [] }]) =>
        Model.fromPartial({
          modelId,
          aliases,
          enabled: false,
          outputModalities: [embedding ? Modality.EMBEDDING : Modality.TEXT],
          prices: [priceOf(input, output, 0n), ...(later === undefined ? [] : [priceOf(later, later, 2_000n)])],
          deployments: [{ deploymentId: `${modelId}@${provider}`, providerId: provider, inRotation: false }],
        }),
    ),
  };
}

const chosen = (table: RouteTable, name = '', provider = 'p') => chooseDeployment(table, provider, name, NOW);

describe('the deployment of a test', () => {
  it('is of the model with the cheapest output now', () => {
    const table = tableOf({
      dear: { output: 9n },
      cheap: { input: 99n, output: 2n },
      later: { output: 3n, later: 1n },
      elsewhere: { provider: 'other', output: 0n },
    });
    expect(chosen(table)).toEqual({ kind: 'chosen', deploymentId: 'cheap@p' });
  });

  it('is not of an embedding model if another one generates text', () => {
    const table = tableOf({ embed: { embedding: true, output: 0n }, text: { output: 9n } });
    expect(chosen(table)).toEqual({ kind: 'chosen', deploymentId: 'text@p' });
  });

  it('is of the embedding model with the cheapest input where there are only such', () => {
    const table = tableOf({ large: { embedding: true, input: 9n, output: 0n }, small: { embedding: true, input: 2n } });
    expect(chosen(table)).toEqual({ kind: 'chosen', deploymentId: 'small@p' });
  });

  it.each(['embed', 'vendor/embed'])('is of the model named %s', (name) => {
    const table = tableOf({ embed: { embedding: true, aliases: ['vendor/embed'] }, text: {} });
    expect(chosen(table, name)).toEqual({ kind: 'chosen', deploymentId: 'embed@p' });
  });

  it.each([
    ['', 'nowhere', 'unknown_provider', 'the catalogue has no provider nowhere'],
    ['', 'empty', 'no_deployment', 'the catalogue has no model with a deployment at empty'],
    ['text', 'other', 'no_deployment', 'the catalogue has no model text with a deployment at other'],
  ] as const)('is missing for the model %j at %s', (name, provider, kind, problem) => {
    expect(chosen(tableOf({ text: {} }), name, provider)).toEqual({ kind, problem });
  });
});
