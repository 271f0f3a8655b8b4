import { checkEmbeddingPrices, checkGenerationPrices, checkPriceTimes, isPricedPerImage } from './check-prices.ts';
import type { Finding, Path } from './problem.ts';
import { isEmbeddingModel, type ModelEntry, type ProviderEntry } from './schema.ts';

/** A valid entry and its index in its list. */
export interface Indexed<T> {
  index: number;
  entry: T;
}

/** Checks what the fields of entries must be to each other: credentials and how they are sent, and limits. */
export function checkEntries(
  providers: readonly Indexed<ProviderEntry>[],
  models: readonly Indexed<ModelEntry>[],
): Finding[] {
  const byId = new Map(providers.map(({ entry }) => [entry.id, entry]));
  return [
    ...providers.flatMap(({ index, entry }) => checkProvider(entry, ['providers', index])),
    ...models.flatMap(({ index, entry }) => checkModel(entry, ['models', index], byId)),
  ];
}

type WithCredentials = Pick<ProviderEntry, 'api_key' | 'api_keys'>;

/** The credential references of an entry, in their order. */
export function credentialsOf(entry: WithCredentials) {
  return entry.api_keys ?? (entry.api_key === undefined ? [] : [entry.api_key]);
}

function checkProvider(entry: ProviderEntry, path: Path): Finding[] {
  if (entry.auth === 'none' && credentialsOf(entry).length > 0) {
    return [{ path: [...path, 'auth'], message: 'is none, yet there is a credential' }];
  }
  return checkOneForm(entry, path);
}

function checkOneForm(entry: WithCredentials, path: Path): Finding[] {
  if (entry.api_key === undefined || entry.api_keys === undefined) return [];
  return [{ path: [...path, 'api_keys'], message: 'stands beside api_key: use one of the two' }];
}

function checkModel(entry: ModelEntry, path: Path, providers: ReadonlyMap<string, ProviderEntry>): Finding[] {
  const findings = entry.deployments.flatMap((deployment, at) =>
    checkDeployment(deployment, providers.get(deployment.provider), [...path, 'deployments', at]),
  );
  if (isEmbeddingModel(entry)) findings.push(...checkEmbeddingProviders(entry, path, providers));
  findings.push(...(isEmbeddingModel(entry) ? checkEmbeddingModel(entry, path) : checkGenerationModel(entry, path)));
  findings.push(...checkPriceTimes(entry, path));
  if (entry.input.includes('image') && entry.max_tokens_per_image === 0 && !isPricedPerImage(entry)) {
    const message = 'is needed for a model that takes images: what a request can cost depends on it';
    findings.push({ path: [...path, 'max_tokens_per_image'], message });
  }
  return findings;
}

function checkGenerationModel(entry: ModelEntry, path: Path): Finding[] {
  const findings: Finding[] = [];
  if (entry.max_output_tokens === undefined) {
    findings.push({ path: [...path, 'max_output_tokens'], message: 'is missing' });
  } else if (entry.max_output_tokens > entry.context_window) {
    findings.push({ path: [...path, 'max_output_tokens'], message: 'is larger than context_window' });
  }
  return [...findings, ...checkGenerationPrices(entry, path)];
}

function checkEmbeddingModel(entry: ModelEntry, path: Path): Finding[] {
  const findings: Finding[] = [];
  if (entry.output.some((modality) => modality !== 'embedding')) {
    const message = 'has embedding beside others: a model returns either vectors or text';
    findings.push({ path: [...path, 'output'], message });
  }
  if (entry.input.some((modality) => modality !== 'text')) {
    findings.push({ path: [...path, 'input'], message: 'must be text alone for an embedding model' });
  }
  if (entry.max_output_tokens !== undefined) {
    findings.push({
      path: [...path, 'max_output_tokens'],
      message: 'is not for an embedding model: it generates none',
    });
  }
  if (entry.protocols !== undefined) {
    const message = 'is not for an embedding model: every embedding endpoint calls it';
    findings.push({ path: [...path, 'protocols'], message });
  }
  return [...findings, ...checkEmbeddingPrices(entry, path)];
}

function checkEmbeddingProviders(
  entry: ModelEntry,
  path: Path,
  providers: ReadonlyMap<string, ProviderEntry>,
): Finding[] {
  return entry.deployments.flatMap(({ provider }, at) => {
    if (providers.get(provider)?.protocol !== 'anthropic-messages') return [];
    const message = `provider ${provider} speaks anthropic-messages, which has no embeddings`;
    return [{ path: [...path, 'deployments', at, 'provider'], message }];
  });
}

function checkDeployment(entry: WithCredentials, provider: ProviderEntry | undefined, path: Path): Finding[] {
  const findings = checkOneForm(entry, path);
  if (provider === undefined) return findings;
  const own = credentialsOf(entry).length;
  if (provider.auth === 'none' && own > 0) {
    findings.push({ path, message: `has a credential, yet provider ${provider.id} has auth: none` });
  }
  if (provider.auth !== 'none' && own === 0 && credentialsOf(provider).length === 0) {
    const message = `has no credential: set api_key here or at provider ${provider.id}, or auth: none there`;
    findings.push({ path, message });
  }
  return findings;
}
