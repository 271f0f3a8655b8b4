import { Modality } from '@tollgate/proto/router';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { isAllowed, isServed, type RoutableModel, type RouteTable } from '../../shared/catalogue/route-table.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import type { AuthenticatedKey } from '../../shared/request/request-context.ts';

/** Finds the model that a request names; throws an ApiError unless this key can call it now. */
export function findModel(name: string, table: RouteTable, key: AuthenticatedKey): RoutableModel {
  const entry = table.find(name);
  if (entry === undefined) throw apiErrors.modelNotAvailable(name);
  if (!entry.model.enabled || !isAllowed(entry, key.allowedModels)) {
    throw apiErrors.modelNotSupported(
      name,
      table.callable(key.allowedModels).map((other) => other.model.modelId),
    );
  }
  if (!isServed(entry)) throw apiErrors.modelNotAvailable(name);
  return entry;
}

/** Throws an ApiError for a model that does not support the protocol of the call. */
export function requireProtocol(entry: RoutableModel, name: string, called: ProtocolName): void {
  requireGenerationModel(entry, name);
  if (!entry.protocols.includes(called)) throw apiErrors.protocolMismatch(name, called, entry.protocols);
}

/** Whether a model creates embeddings instead of text. */
export function isEmbeddingModel({ model }: Pick<RoutableModel, 'model'>): boolean {
  return model.outputModalities.includes(Modality.EMBEDDING);
}

/** Throws an ApiError for a model that creates no embeddings. */
export function requireEmbeddingModel(entry: RoutableModel, name: string): void {
  if (isEmbeddingModel(entry)) return;
  throw apiErrors.invalidRequest(
    `The model '${name}' generates text, not embeddings. GET /v1/models shows embedding models by their output_modalities.`,
    'protocol_not_supported',
  );
}

/** Throws an ApiError for a model that only creates embeddings. */
export function requireGenerationModel(entry: RoutableModel, name: string): void {
  if (!isEmbeddingModel(entry)) return;
  throw apiErrors.invalidRequest(
    `The model '${name}' only creates embeddings. Call it at /v1/embeddings, or with embedContent.`,
    'protocol_not_supported',
  );
}
