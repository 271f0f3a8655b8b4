import { Bucket, Modality, type Model, type RouteTable } from '@tollgate/proto/router';

export type ChosenDeployment =
  | { kind: 'chosen'; deploymentId: string }
  | { kind: 'unknown_provider' | 'not_testable'; problem: string };

/**
 * The deployment that a test of a provider calls: of the given model, else of the provider's cheapest one. Models that are
 * disabled and deployments out of rotation count too.
 *
 * @param name id or alias of a model; empty for any
 * @param nowMs Unix milliseconds, for the prices in force
 */
export function chooseDeployment(
  { providers, models }: RouteTable,
  providerId: string,
  name: string,
  nowMs: number,
): ChosenDeployment {
  if (!providers.some((provider) => provider.providerId === providerId)) {
    return { kind: 'unknown_provider', problem: `the catalogue has no provider ${providerId}` };
  }
  const served = models.filter(({ deployments }) => deployments.some((one) => one.providerId === providerId));
  const named = name === '' ? served : served.filter((one) => one.modelId === name || one.aliases.includes(name));
  if (named.length === 0) {
    const which = name === '' ? 'no model' : `no model ${name}`;
    return { kind: 'not_testable', problem: `the catalogue has ${which} with a deployment at ${providerId}` };
  }
  const generating = named.filter(({ outputModalities }) => !outputModalities.includes(Modality.EMBEDDING));
  const [cheapest] = generating.toSorted((a, b) => compare(outputRate(a, nowMs), outputRate(b, nowMs)));
  const deployment = cheapest?.deployments.find((one) => one.providerId === providerId);
  if (deployment === undefined) {
    return { kind: 'not_testable', problem: 'only models that generate text can be tested, not those of embeddings' };
  }
  return { kind: 'chosen', deploymentId: deployment.deploymentId };
}

function outputRate({ prices }: Model, nowMs: number): bigint {
  const price = prices.findLast(({ effectiveFromMs }) => Number(effectiveFromMs) <= nowMs);
  return price?.rates.find(({ bucket }) => bucket === Bucket.OUTPUT)?.nanosPerMillion ?? 0n;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}
