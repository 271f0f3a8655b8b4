import { PROTOCOL_NAMES } from '@tollgate/common/catalogue-names';
import { unaryCall } from '@tollgate/common/grpc/client';
import { DeploymentWithHealth, type ProviderWithHealth } from '@tollgate/proto/console/operators';
import {
  CredentialState,
  type Deployment,
  type DeploymentHealth,
  type Model,
  type ProviderStatus,
  type RouteTable,
} from '@tollgate/proto/router';
import type { Dependencies } from '../dependencies.ts';
import type { Handlers } from '../http/handlers.ts';

/** Longer than an ingress may take to test a provider. */
const TEST_DEADLINE_MS = 115_000;

/** Handlers of providers, their deployments and their health. */
export function providerHandlers({ router, routerReplicas }: Dependencies) {
  return {
    listProviders: async (_, { rpc }) => {
      const options = await rpc();
      const [table, health, statuses] = await Promise.all([
        unaryCall(router.getRoutes.bind(router), {}, options),
        routerReplicas.readHealth(options),
        routerReplicas.readProviders(options),
      ]);
      return { data: providersOf(table, health, statuses) };
    },

    // Only one of the routers may have an ingress.
    testProvider: async (request, { rpc }) => routerReplicas.testProvider(request, await rpc(TEST_DEADLINE_MS)),
  } satisfies Partial<Handlers>;
}

/** In the order of the catalogue. */
function providersOf(
  table: RouteTable,
  health: readonly DeploymentHealth[],
  statuses: readonly ProviderStatus[],
): ProviderWithHealth[] {
  const statusById = new Map(statuses.map((each) => [each.providerId, each]));
  const healthById = new Map(health.map((each) => [each.deploymentId, each]));
  return table.providers.map(({ providerId, protocol, baseUrl, simulated }) => {
    // None of a provider that was added since it was read.
    const status = statusById.get(providerId);
    return {
      provider: providerId,
      protocol: PROTOCOL_NAMES[protocol],
      baseUrl,
      simulated,
      dialect: status?.dialect ?? '',
      credential: status?.credential || CredentialState.UNKNOWN,
      credentialProblem: status?.credentialDetail ?? '',
      deployments: table.models.flatMap((model) =>
        model.deployments
          .filter((deployment) => deployment.providerId === providerId)
          .map((deployment) => deploymentOf(model, deployment, healthById.get(deployment.deploymentId))),
      ),
    };
  });
}

/** @param health undefined for a deployment that was added since it was read */
function deploymentOf(model: Model, deployment: Deployment, health: DeploymentHealth | undefined) {
  return DeploymentWithHealth.fromPartial({
    ...health,
    deployment: deployment.deploymentId,
    model: model.modelId,
    upstreamModel: deployment.upstreamModel,
    inRotation: health?.inRotation ?? deployment.inRotation,
    meanDurationMs: health?.successes === 0n ? undefined : health?.meanDurationMs,
  });
}
