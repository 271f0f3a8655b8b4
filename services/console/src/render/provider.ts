import { PROTOCOL_NAMES } from '@tollgate/common/catalogue-names';
import type { Deployment, DeploymentHealth, Model, RouteTable } from '@tollgate/proto/router';
import { renderTimeOrNull } from './time.ts';

/** Providers in the order of the catalogue, each with its deployments and their health. */
export function renderProviders(table: RouteTable, health: readonly DeploymentHealth[]) {
  const healthById = new Map(health.map((each) => [each.deploymentId, each]));
  return table.providers.map((provider) => ({
    provider: provider.providerId,
    protocol: PROTOCOL_NAMES[provider.protocol],
    base_url: provider.baseUrl,
    simulated: provider.simulated,
    deployments: table.models.flatMap((model) =>
      model.deployments
        .filter(({ providerId }) => providerId === provider.providerId)
        .map((deployment) => renderDeployment(model, deployment, healthById.get(deployment.deploymentId))),
    ),
  }));
}

/** @param health undefined for a deployment that was added since it was read */
function renderDeployment(model: Model, deployment: Deployment, health: DeploymentHealth | undefined) {
  return {
    deployment: deployment.deploymentId,
    model: model.modelId,
    upstream_model: deployment.upstreamModel,
    in_rotation: health?.inRotation ?? deployment.inRotation,
    paused_until: renderTimeOrNull(health?.pausedUntilMs ?? 0n),
    successes: Number(health?.successes ?? 0),
    failures: Number(health?.failures ?? 0),
    timeouts: Number(health?.timeouts ?? 0),
    rate_limited: Number(health?.rateLimited ?? 0),
    credentials_refused: Number(health?.credentialsRefused ?? 0),
    mean_duration_ms: health === undefined || health.successes === 0n ? null : health.meanDurationMs,
    last_success_at: renderTimeOrNull(health?.lastSuccessAtMs ?? 0n),
    last_failure_at: renderTimeOrNull(health?.lastFailureAtMs ?? 0n),
    last_failure_status: health === undefined || health.lastFailureStatus === 0 ? null : health.lastFailureStatus,
  };
}
