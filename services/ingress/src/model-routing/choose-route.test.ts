import { AuthScheme, type Deployment, Protocol, type Provider } from '@tollgate/proto/router';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { affinityOf, orderRoutes } from './choose-route.ts';
import { RouteTable } from './route-table.ts';

const provider: Provider = {
  providerId: 'p',
  protocol: Protocol.OPENAI_CHAT,
  baseUrl: 'http://127.0.0.1:1/v1',
  authScheme: AuthScheme.NONE,
  simulated: true,
  headers: {},
  timeouts: undefined,
};

function deployment(deploymentId: string, fields: Partial<Deployment> = {}): Deployment {
  return {
    deploymentId,
    providerId: 'p',
    upstreamModel: 'm',
    weight: 1,
    priority: 0,
    credentials: [],
    inRotation: true,
    ...fields,
  };
}

function entryOf(deployments: Deployment[]) {
  const model = {
    modelId: 'm',
    aliases: [],
    displayName: 'M',
    ownedBy: 'o',
    created: 0n,
    protocols: [],
    inputModalities: [],
    outputModalities: [],
    contextWindow: 0n,
    maxOutputTokens: 0n,
    enabled: true,
    prices: [{ version: 'v', rates: [], tiers: [], effectiveFromMs: 0n }],
    deployments,
    tokensPerMessage: 0n,
    tokensPerRequest: 0n,
    maxTokensPerImage: 0n,
    disconnectPolicy: 0 as const,
    limits: undefined,
  };
  const entry = new RouteTable({ version: '1', providers: [provider], models: [model] }).find('m');
  if (entry === undefined) throw new Error('the model is missing');
  return entry;
}

const orderOf = (deployments: Deployment[], affinity: number) =>
  orderRoutes(entryOf(deployments), affinity).map((route) => route.deployment.deploymentId);

describe('orderRoutes', () => {
  it('leaves out deployments that are not in rotation, and orders by priority first', () => {
    const deployments = [
      deployment('late', { priority: 1 }),
      deployment('sick', { inRotation: false }),
      deployment('first'),
    ];
    for (let affinity = 0; affinity < 50; affinity++) expect(orderOf(deployments, affinity)).toEqual(['first', 'late']);
  });

  it('keeps a conversation at its deployment when another one comes or goes', () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffffffff }), (affinity) => {
        const [first] = orderOf([deployment('a'), deployment('b')], affinity);
        const [withThird] = orderOf([deployment('a'), deployment('b'), deployment('c')], affinity);
        expect([first, 'c']).toContain(withThird);
      }),
    );
  });

  it('distributes by weight', () => {
    const deployments = [deployment('a', { weight: 3 }), deployment('b')];
    const accounts = Array.from({ length: 4_000 }, (_, index) => affinityOf(`account-${index}`, Buffer.from('hello')));
    const share = accounts.filter((affinity) => orderOf(deployments, affinity)[0] === 'a').length / accounts.length;
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.8);
  });
});
