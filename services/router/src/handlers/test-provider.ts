import { RpcError } from '@tollgate/common/errors';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Logger } from '@tollgate/common/logging';
import type { TestProviderRequest, TestProviderResponse } from '@tollgate/proto/router';
import { chooseDeployment } from '../probes/choose-deployment.ts';
import type { ProbePool } from '../probes/probe-pool.ts';
import type { RouteStore } from '../routes/route-store.ts';

/** The time of all requests of a test: less than the longest deadline of a call. */
const TEST_TIMEOUT_MS = 100_000;

/** Has an ingress test a provider with real requests, and logs who spent what. */
export function createTestProviderHandler({
  routes,
  probes,
  logger,
}: {
  routes: RouteStore;
  probes: ProbePool;
  logger: Logger;
}): UnaryHandler<TestProviderRequest, TestProviderResponse> {
  return async ({ providerId, model, all }, context) => {
    const chosen = chooseDeployment(routes.table, providerId, model, Date.now());
    if (chosen.kind !== 'chosen') {
      throw new RpcError(chosen.kind === 'unknown_provider' ? 'not_found' : 'failed_precondition', chosen.problem);
    }
    const result = await probes.test(chosen.deploymentId, all, TEST_TIMEOUT_MS, context.signal);
    logger.info(
      {
        operator: actorOf(context).name,
        provider: result.providerId,
        deployment: result.deploymentId,
        requests: result.requests,
        cost_nanos: result.costNanos.toString(),
      },
      'a provider was tested',
    );
    return result;
  };
}
