import { Bucket, Modality, type Model, type RouteTable } from '@tollgate/proto/router';

export type ChosenDeployment =
  | { kind: 'chosen'; deploymentId: string }
  | { kind: 'unknown_provider' | 'no_deployment'; problem: string };

/**
 * The deployment that a test of a provider calls: of the given model, else of the provider's cheapest one that generates
 * text, else of its cheapest one for embeddings. Models that are disabled and deployments out of rotation count too.
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
    return { kind: 'no_deployment', problem: `the catalogue has ${which} with a deployment at ${providerId}` };
  }
  const generating = named.filter((one) => !isEmbeddingModel(one));
  // Of a model that generates text, output costs most; embeddings have none.
  const [candidates, bucket] = generating.length > 0 ? [generating, Bucket.OUTPUT] : [named, Bucket.INPUT];
  const [cheapest] = candidates.toSorted((a, b) => compare(rateOf(a, bucket, nowMs), rateOf(b, bucket, nowMs)));
  const deployment = cheapest?.deployments.find((one) => one.providerId === providerId);
  if (deployment === undefined) throw new Error(`no deployment at ${providerId} among those that have one`);
  return { kind: 'chosen', deploymentId: deployment.deploymentId };
}

function isEmbeddingModel({ outputModalities }: Model): boolean {
  return outputModalities.includes(Modality.EMBEDDING);
}

function rateOf({ prices }: Model, bucket: Bucket, nowMs: number): bigint {
  const price = prices.findLast(({ effectiveFromMs }) => Number(effectiveFromMs) <= nowMs);
  return price?.rates.find((rate) => rate.bucket === bucket)?.nanosPerMillion ?? 0n;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}
