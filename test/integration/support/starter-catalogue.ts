import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { parse } from 'yaml';
import { z } from 'zod';
import type { RecordedEndpoint, RecordedProvider } from '../providers/recorded.ts';

/** A server of one's own has the price that its operator writes: its starter catalogue has none. */
const OWN_PRICE = { input: 0.05, cache_read: 0.01, output: 0.2 };

const priceSchema = z.looseObject({ input: z.number(), output: z.number() });
const entrySchema = z.looseObject({
  id: z.string(),
  protocol: z.enum(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini']),
  base_url: z.string(),
  auth: z.enum(['bearer', 'x-api-key', 'x-goog-api-key', 'none']),
  api_key: z.object({ env: z.string() }).optional(),
});
const deploymentSchema = z.looseObject({ provider: z.string(), model: z.string().optional() });
const modelSchema = z.looseObject({ id: z.string(), deployments: z.array(deploymentSchema).min(1) });
const calledSchema = modelSchema.extend({ price: priceSchema.default(OWN_PRICE) });
const catalogueSchema = z.looseObject({ providers: z.array(entrySchema), models: z.array(modelSchema) });

/** A provider entry of a starter catalogue. */
export type ProviderEntry = z.output<typeof entrySchema>;
/** A model of one that is called. */
export type StarterModel = z.output<typeof calledSchema>;

/** How an endpoint is reached. */
export interface DeployedEntry {
  entry: ProviderEntry;
  deployment: z.output<typeof deploymentSchema>;
}

/** The starter catalogue of a provider. */
export class StarterCatalogue {
  readonly #providers: readonly ProviderEntry[];
  readonly #models: readonly z.output<typeof modelSchema>[];

  constructor(provider: string) {
    const { providers, models } = catalogueSchema.parse(parse(textOf(provider)));
    this.#providers = providers;
    this.#models = models;
  }

  /** The model that the test calls. */
  model({ model }: RecordedProvider): StarterModel {
    return calledSchema.parse(this.#models.find(({ id }) => id === model));
  }

  /** The entry of an endpoint, or the one that it varies, and a model's deployment there. */
  deployed({ entry: id, variant }: RecordedEndpoint): DeployedEntry {
    const own = variant?.of ?? id;
    const entry = this.#providers.find((each) => each.id === own);
    const deployments = this.#models.flatMap((model) => model.deployments);
    const deployment = deployments.find(({ provider }) => provider === own);
    return { entry: { ...found(entry, own), ...variant?.fields, id }, deployment: found(deployment, own) };
  }
}

function found<T>(value: T | undefined, id: string): T {
  if (value === undefined) throw new Error(`the starter catalogue lacks ${id}`);
  return value;
}

/** Its text, with some address in place of the variable with the server's. */
function textOf(provider: string): string {
  const names = [`${provider}.yaml`, `local/${provider}.yaml`].map((name) => join(CHECKOUT, 'deploy/catalogue', name));
  return readFileSync(found(names.find(existsSync), provider), 'utf8').replaceAll(/\$\{\w+\}/g, 'http://server');
}
