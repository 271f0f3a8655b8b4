import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import {
  CredentialState,
  type DeploymentCredential,
  type ListProvidersRequest,
  type ListProvidersResponse,
  type Provider,
  type ProviderStatus,
} from '@tollgate/proto/router';
import type { LiveCatalogue } from '../catalogue/live-catalogue.ts';
import type { ProbePool } from '../probes/probe-pool.ts';
import type { RouteStore } from '../routes/route-store.ts';

/** How long an ingress may take to read its credentials. */
const CREDENTIALS_TIMEOUT_MS = 3_000;

/** The providers of the catalogue, and whether an ingress has their credentials. */
export function createListProvidersHandler({
  catalogue,
  routes,
  probes,
}: {
  catalogue: LiveCatalogue;
  routes: RouteStore;
  probes: ProbePool;
}): UnaryHandler<ListProvidersRequest, ListProvidersResponse> {
  return async (_, { signal }) => {
    const credentials = await readCredentials(probes, signal);
    const { providers } = routes.table;
    const { dialects } = catalogue.inUse;
    return {
      providers: providers.map((provider) => ({
        ...statusOf(provider, routes, credentials),
        dialect: dialects.get(provider.providerId) ?? '',
      })),
    };
  };
}

type Credentials = ReadonlyMap<string, DeploymentCredential>;

/** By deployment; empty if no ingress reports them, which the result shows as unknown. */
async function readCredentials(probes: ProbePool, signal: AbortSignal): Promise<Credentials> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CREDENTIALS_TIMEOUT_MS)]);
  try {
    const { deployments } = await probes.credentials(limit);
    return new Map(deployments.map((one) => [one.deploymentId, one]));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return new Map();
  }
}

function statusOf(
  { providerId, protocol, baseUrl, simulated }: Provider,
  { table }: RouteStore,
  credentials: Credentials,
): Omit<ProviderStatus, 'dialect'> {
  const own = table.models.map(({ deployments }) => deployments.filter((one) => one.providerId === providerId));
  const deployments = own.flat();
  const states = deployments.flatMap(({ deploymentId }) => credentials.get(deploymentId) ?? []);
  const missing = states.find(({ state }) => state === CredentialState.MISSING);
  const { state, detail } = missing ?? states[0] ?? UNKNOWN;
  return {
    providerId,
    protocol,
    baseUrl,
    simulated,
    models: own.filter(({ length }) => length > 0).length,
    deployments: deployments.length,
    deploymentsInRotation: deployments.filter(({ inRotation }) => inRotation).length,
    credential: state,
    credentialDetail: detail,
  };
}

const UNKNOWN = { state: CredentialState.UNKNOWN, detail: '' };
