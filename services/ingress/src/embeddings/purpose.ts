import { Modality } from '@tollgate/proto/router';
import { apiErrors } from '../errors/api-error.ts';
import type { RoutableModel } from '../model-routing/route-table.ts';

/** Whether a model makes vectors instead of answers. */
export function isEmbeddingModel({ model }: Pick<RoutableModel, 'model'>): boolean {
  return model.outputModalities.includes(Modality.EMBEDDING);
}

/** Refuses a model that makes no vectors. */
export function requireEmbeddingModel(entry: RoutableModel, name: string): void {
  if (isEmbeddingModel(entry)) return;
  throw apiErrors.invalidRequest(
    `The model '${name}' generates answers and makes no embeddings. GET /v1/models tells by output_modalities which do.`,
  );
}

/** Refuses a model that makes nothing but vectors. */
export function requireGenerationModel(entry: RoutableModel, name: string): void {
  if (!isEmbeddingModel(entry)) return;
  throw apiErrors.invalidRequest(
    `The model '${name}' makes embeddings and generates no answers. Call it at /v1/embeddings, or with embedContent.`,
  );
}
