import type { Deployment } from '@tollgate/proto/router';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deploymentForTests, routableModel } from '../../../testing/route-fixture.ts';
import { affinityOf, orderRoutes } from './find-routes.ts';

function deployment(deploymentId: string, fields: Partial<Deployment> = {}): Deployment {
  return deploymentForTests({ deploymentId, ...fields });
}

const orderOf = (deployments: Deployment[], affinity: number) =>
  orderRoutes(routableModel({ deployments }), () => affinity).map((route) => route.deployment.deploymentId);

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
