import { checkEmbeddingPrices, checkGenerationPrices, checkPriceTimes, isPricedPerImage } from './check-prices.ts';
import { checkProtocols } from './check-protocols.ts';
import { checkCloud, hasAmbientCredential } from './cloud.ts';
import type { Finding, Path } from './problem.ts';
import { isEmbeddingModel, type ModelEntry, type ProviderEntry } from './schema.ts';

/** A valid entry and its index in its list. */
export interface Indexed<T> {
  index: number;
  entry: T;
}

/** Checks fields of entries that depend on each other: credentials and how they are sent, and limits. */
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
  if (entry.betas !== undefined && entry.protocol !== 'anthropic-messages') {
    return [{ path: [...path, 'betas'], message: 'is only for providers of the protocol anthropic-messages' }];
  }
  if (entry.auth === 'none' && credentialsOf(entry).length > 0) {
    return [{ path: [...path, 'auth'], message: 'must not be none with a credential' }];
  }
  return [...checkCloud(entry, path), ...checkSources(entry, entry.auth, path), ...checkOneForm(entry, path)];
}

/** A signature needs two keys, which the catalogue cannot name: AWS's libraries find them. */
function checkSources(entry: WithCredentials, auth: string, path: Path): Finding[] {
  if (auth !== 'aws-sigv4' || credentialsOf(entry).length === 0) return [];
  return [{ path, message: 'must have no api_key: aws-sigv4 signs with the credentials of the ingress’s environment' }];
}

function checkOneForm(entry: WithCredentials, path: Path): Finding[] {
  if (entry.api_key === undefined || entry.api_keys === undefined) return [];
  return [{ path: [...path, 'api_keys'], message: 'cannot be combined with api_key: use one of them' }];
}

function checkModel(entry: ModelEntry, path: Path, providers: ReadonlyMap<string, ProviderEntry>): Finding[] {
  const findings = entry.deployments.flatMap((deployment, at) =>
    checkDeployment(deployment, providers.get(deployment.provider), [...path, 'deployments', at]),
  );
  if (isEmbeddingModel(entry)) findings.push(...checkEmbeddingProviders(entry, path, providers));
  findings.push(...(isEmbeddingModel(entry) ? checkEmbeddingModel(entry, path) : checkGenerationModel(entry, path)));
  findings.push(...checkProtocols(entry, path), ...checkPriceTimes(entry, path, providers));
  if (entry.input.includes('image') && entry.max_tokens_per_image === 0 && !isPricedPerImage(entry)) {
    const message = 'is required for a model that accepts images: the cost of a request depends on it';
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
    const message = 'must not combine embedding with others: a model returns either vectors or text';
    findings.push({ path: [...path, 'output'], message });
  }
  if (entry.input.some((modality) => modality !== 'text')) {
    findings.push({ path: [...path, 'input'], message: 'must be only text for an embedding model' });
  }
  if (entry.max_output_tokens !== undefined) {
    findings.push({
      path: [...path, 'max_output_tokens'],
      message: 'is not allowed for an embedding model: it generates no tokens',
    });
  }
  if (entry.protocols !== undefined) {
    const message = 'is not allowed for an embedding model: every embedding endpoint can call it';
    findings.push({ path: [...path, 'protocols'], message });
  }
  if (entry.parameters !== undefined) {
    const message = 'is not allowed for an embedding model: it describes requests for generation';
    findings.push({ path: [...path, 'parameters'], message });
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
    const message = `provider ${provider} uses anthropic-messages, which has no embeddings`;
    return [{ path: [...path, 'deployments', at, 'provider'], message }];
  });
}

function checkDeployment(entry: WithCredentials, provider: ProviderEntry | undefined, path: Path): Finding[] {
  const findings = checkOneForm(entry, path);
  if (provider === undefined) return findings;
  findings.push(...checkSources(entry, provider.auth, path));
  const own = credentialsOf(entry).length;
  if (provider.auth === 'none' && own > 0) {
    findings.push({ path, message: `must not have a credential: provider ${provider.id} has auth: none` });
  }
  if (
    provider.auth !== 'none' &&
    !hasAmbientCredential(provider.auth) &&
    own === 0 &&
    credentialsOf(provider).length === 0
  ) {
    const message = `has no credential: set api_key here or at provider ${provider.id}, or auth: none there`;
    findings.push({ path, message });
  }
  return findings;
}
