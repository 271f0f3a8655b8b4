import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { DeploymentHealth, GetHealthRequest, GetHealthResponse } from '@tollgate/proto/router';
import type { HealthBoard } from '../health/health-board.ts';
import type { RouteStore } from '../routes/route-store.ts';

/** The health of all deployments, by the outcomes that this process has received. */
export function createGetHealthHandler({
  routes,
  health,
}: {
  routes: RouteStore;
  health: HealthBoard;
}): UnaryHandler<GetHealthRequest, GetHealthResponse> {
  return async () => {
    const nowMs = Date.now();
    const deployments = routes.table.models.flatMap(({ modelId, deployments: own }) =>
      own.flatMap(({ deploymentId, providerId }) => {
        const entry = health.get(deploymentId);
        return entry === undefined ? [] : [{ deploymentId, providerId, modelId, ...healthOf(entry, nowMs) }];
      }),
    );
    return { deployments };
  };
}

type Known = NonNullable<ReturnType<HealthBoard['get']>>;

function healthOf(
  { health, counts }: Known,
  nowMs: number,
): Omit<DeploymentHealth, 'deploymentId' | 'providerId' | 'modelId'> {
  const totals = counts.totals(nowMs);
  return {
    inRotation: health.inRotation,
    pausedUntilMs: BigInt(health.returnsAtMs ?? 0),
    successes: BigInt(totals.successes),
    failures: BigInt(totals.failures),
    timeouts: BigInt(totals.timeouts),
    rateLimited: BigInt(totals.rateLimited),
    credentialsRefused: BigInt(totals.credentialsRefused),
    meanDurationMs: totals.successes === 0 ? 0 : Math.round(totals.durationMs / totals.successes),
    lastSuccessAtMs: BigInt(counts.lastSuccessAtMs),
    lastFailureAtMs: BigInt(counts.lastFailureAtMs),
    lastFailureStatus: counts.lastFailureStatus,
  };
}
