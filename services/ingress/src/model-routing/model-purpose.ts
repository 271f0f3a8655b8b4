import { Modality } from '@tollgate/proto/router';
import { apiErrors } from '../errors/api-error.ts';
import type { RoutableModel } from './route-table.ts';

/** Whether a model creates embeddings instead of text. */
export function isEmbeddingModel({ model }: Pick<RoutableModel, 'model'>): boolean {
  return model.outputModalities.includes(Modality.EMBEDDING);
}

/** Throws an ApiError for a model that creates no embeddings. */
export function requireEmbeddingModel(entry: RoutableModel, name: string): void {
  if (isEmbeddingModel(entry)) return;
  throw apiErrors.invalidRequest(
    `The model '${name}' generates text, not embeddings. For embedding models see output_modalities in GET /v1/models.`,
  );
}

/** Throws an ApiError for a model that only creates embeddings. */
export function requireGenerationModel(entry: RoutableModel, name: string): void {
  if (!isEmbeddingModel(entry)) return;
  throw apiErrors.invalidRequest(
    `The model '${name}' only creates embeddings. Call it at /v1/embeddings, or with embedContent.`,
  );
}
