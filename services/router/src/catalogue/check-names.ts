import { z } from 'zod';
import type { Finding, Path } from './problem.ts';

const name = z.string().catch('');

/**
 * The names in a catalogue, read despite other problems, so that one wrong entry does not hide the problems of others. A
 * name that cannot be read is empty, and reported elsewhere.
 */
export const namesSchema = z.object({
  providers: z.array(z.object({ id: name, base_url: name }).catch({ id: '', base_url: '' })).catch([]),
  models: z
    .array(
      z
        .object({
          id: name,
          aliases: z.array(name).catch([]),
          deployments: z.array(z.object({ id: name, provider: name }).catch({ id: '', provider: '' })).catch([]),
        })
        .catch({ id: '', aliases: [], deployments: [] }),
    )
    .catch([]),
});

export type Names = z.output<typeof namesSchema>;

/** Checks that names are unique and that every provider referred to exists. */
export function checkNames({ providers, models }: Names): Finding[] {
  const findings: Finding[] = [];
  const providerIds = new UniqueNames('provider', findings);
  const modelNames = new UniqueNames('model', findings);
  const deploymentIds = new UniqueNames('deployment', findings);
  for (const [index, provider] of providers.entries()) providerIds.add(provider.id, ['providers', index, 'id']);
  for (const [index, model] of models.entries()) {
    const path = ['models', index];
    modelNames.add(model.id, [...path, 'id']);
    for (const [at, alias] of model.aliases.entries()) modelNames.add(alias, [...path, 'aliases', at]);
    for (const [at, deployment] of model.deployments.entries()) {
      const deploymentPath = [...path, 'deployments', at];
      if (deployment.provider === '') continue;
      deploymentIds.add(deploymentId(model.id, deployment), [...deploymentPath, 'id']);
      if (providerIds.has(deployment.provider)) continue;
      findings.push({ path: [...deploymentPath, 'provider'], message: `there is no provider ${deployment.provider}` });
    }
  }
  return findings;
}

/** The id of a deployment: given, or composed of model and provider. */
export function deploymentId(model: string, deployment: { id?: string | undefined; provider: string }): string {
  return deployment.id || `${model}@${deployment.provider}`;
}

/** Unique names of one kind. */
class UniqueNames {
  readonly #kind: string;
  readonly #findings: Finding[];
  readonly #used = new Set<string>();

  constructor(kind: string, findings: Finding[]) {
    this.#kind = kind;
    this.#findings = findings;
  }

  add(given: string, path: Path): void {
    if (given === '') return;
    if (this.#used.has(given))
      this.#findings.push({ path, message: `the ${this.#kind} name ${given} is already used` });
    this.#used.add(given);
  }

  has(given: string): boolean {
    return this.#used.has(given);
  }
}
