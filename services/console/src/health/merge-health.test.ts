import { DeploymentHealth } from '@tollgate/proto/router';
import { expect, test } from 'vitest';
import { mergeHealth } from './merge-health.ts';

const health = (given: Partial<DeploymentHealth>) =>
  DeploymentHealth.fromPartial({ deploymentId: 'a', providerId: 'p', modelId: 'm', inRotation: true, ...given });

test('outcomes are added up, and durations weighted by them', () => {
  const [merged] = mergeHealth([
    [health({ successes: 1n, failures: 2n, meanDurationMs: 100, lastSuccessAtMs: 5n })],
    [health({ successes: 3n, rateLimited: 1n, timeouts: 4n, meanDurationMs: 200, lastSuccessAtMs: 9n })],
  ]);
  expect(merged).toMatchObject({ successes: 4n, failures: 2n, timeouts: 4n, rateLimited: 1n });
  expect(merged).toMatchObject({ meanDurationMs: 175, lastSuccessAtMs: 9n });
});

test('a deployment that one router has paused is not in rotation, until the last pause ends', () => {
  const paused = health({ inRotation: false, pausedUntilMs: 70n });
  for (const routers of [
    [[paused], [health({})]],
    [[health({})], [paused]],
  ]) {
    expect(mergeHealth(routers)).toMatchObject([{ inRotation: false, pausedUntilMs: 70n }]);
  }
});

test('the last failure is that of the router that saw it', () => {
  const merged = mergeHealth([
    [health({ lastFailureAtMs: 8n, lastFailureStatus: 500 })],
    [health({ lastFailureAtMs: 3n, lastFailureStatus: 429 })],
  ]);
  expect(merged).toMatchObject([{ lastFailureAtMs: 8n, lastFailureStatus: 500 }]);
});

test('deployments that only one router knows yet are kept', () => {
  const merged = mergeHealth([[health({})], [health({}), health({ deploymentId: 'b' })]]);
  expect(merged.map(({ deploymentId }) => deploymentId)).toEqual(['a', 'b']);
});
