import { Protocol } from '@tollgate/proto/router';
import { isEmbeddingModel } from '../../plan/routing/find-model.ts';
import type { RoutableModel } from '../../shared/catalogue/route-table.ts';

/**
 * A model in Google's format. Fields unknown to the catalogue, such as a default temperature, are absent.
 * https://ai.google.dev/api/models#Model
 */
export function renderGeminiModel(entry: RoutableModel) {
  const { model, routes } = entry;
  const isEmbedding = isEmbeddingModel(entry);
  const isSimulated = routes.length > 0 && routes.every((route) => route.provider.simulated);
  const description = model.description === '' ? `By ${model.ownedBy}.` : model.description;
  return {
    name: `models/${model.modelId}`,
    baseModelId: model.modelId,
    version: versionOf(model.created),
    displayName: model.displayName,
    description: isSimulated ? `${description} Its responses are simulated.` : description,
    inputTokenLimit: Number(model.contextWindow),
    // Google's own embedding models have 1 here.
    outputTokenLimit: isEmbedding ? 1 : Number(model.maxOutputTokens),
    supportedGenerationMethods: isEmbedding
      ? EMBEDDING_METHODS
      : model.protocols.includes(Protocol.GEMINI)
        ? METHODS
        : [],
  };
}

const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens'];
const EMBEDDING_METHODS = ['embedContent', 'batchEmbedContents'];

/** Whether Google's clients can call it. */
export function isCallableByGemini(entry: RoutableModel): boolean {
  return isEmbeddingModel(entry) || entry.model.protocols.includes(Protocol.GEMINI);
}

/** The catalogue has no versions; the day of creation distinguishes models of the same name. */
function versionOf(created: bigint): string {
  return created === 0n ? '1' : new Date(Number(created) * 1_000).toISOString().slice(0, 10);
}
