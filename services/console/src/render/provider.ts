import { PROTOCOL_NAMES } from '@tollgate/common/catalogue-names';
import {
  CredentialState,
  type Deployment,
  type DeploymentHealth,
  type Model,
  type ProviderStatus,
  type RouteTable,
} from '@tollgate/proto/router';
import { renderTimeOrNull, textOrNull } from './time.ts';

/** Providers in the order of the catalogue, each with its credential, its deployments and their health. */
export function renderProviders(
  table: RouteTable,
  health: readonly DeploymentHealth[],
  statuses: readonly ProviderStatus[],
) {
  const statusById = new Map(statuses.map((each) => [each.providerId, each]));
  const healthById = new Map(health.map((each) => [each.deploymentId, each]));
  return table.providers.map((provider) => ({
    provider: provider.providerId,
    protocol: PROTOCOL_NAMES[provider.protocol],
    base_url: provider.baseUrl,
    simulated: provider.simulated,
    ...renderStatus(statusById.get(provider.providerId)),
    deployments: table.models.flatMap((model) =>
      model.deployments
        .filter(({ providerId }) => providerId === provider.providerId)
        .map((deployment) => renderDeployment(model, deployment, healthById.get(deployment.deploymentId))),
    ),
  }));
}

/** @param status undefined for a provider that was added since it was read */
function renderStatus(status: ProviderStatus | undefined) {
  return {
    dialect: textOrNull(status?.dialect ?? ''),
    credential: CREDENTIALS[status?.credential ?? CredentialState.UNKNOWN],
    credential_problem: textOrNull(status?.credentialDetail ?? ''),
  };
}

const CREDENTIALS = {
  [CredentialState.UNSPECIFIED]: 'unknown',
  [CredentialState.UNKNOWN]: 'unknown',
  [CredentialState.PRESENT]: 'present',
  [CredentialState.MISSING]: 'missing',
  [CredentialState.NOT_NEEDED]: 'not_needed',
} as const;

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
