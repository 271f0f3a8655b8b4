import type { DeploymentHealth } from '@tollgate/proto/router';

/**
 * The health of deployments as all routers know it. Each router counts what its ingresses report to it, and pauses a
 * deployment by these counts: outcomes are added up, and a deployment is in rotation if it is so at every router.
 */
export function mergeHealth(routers: readonly (readonly DeploymentHealth[])[]): DeploymentHealth[] {
  const merged = new Map<string, DeploymentHealth>();
  for (const health of routers.flat()) {
    const before = merged.get(health.deploymentId);
    merged.set(health.deploymentId, before === undefined ? health : sumOf(before, health));
  }
  return [...merged.values()];
}

function sumOf(left: DeploymentHealth, right: DeploymentHealth): DeploymentHealth {
  const successes = left.successes + right.successes;
  const durationMs = totalMs(left) + totalMs(right);
  const lastFailed = left.lastFailureAtMs >= right.lastFailureAtMs ? left : right;
  return {
    deploymentId: left.deploymentId,
    providerId: left.providerId,
    modelId: left.modelId,
    inRotation: left.inRotation && right.inRotation,
    pausedUntilMs: later(left.pausedUntilMs, right.pausedUntilMs),
    successes,
    failures: left.failures + right.failures,
    timeouts: left.timeouts + right.timeouts,
    rateLimited: left.rateLimited + right.rateLimited,
    credentialsRefused: left.credentialsRefused + right.credentialsRefused,
    meanDurationMs: successes === 0n ? 0 : Math.round(durationMs / Number(successes)),
    lastSuccessAtMs: later(left.lastSuccessAtMs, right.lastSuccessAtMs),
    lastFailureAtMs: lastFailed.lastFailureAtMs,
    lastFailureStatus: lastFailed.lastFailureStatus,
  };
}

function totalMs({ successes, meanDurationMs }: DeploymentHealth): number {
  return Number(successes) * meanDurationMs;
}

function later(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
