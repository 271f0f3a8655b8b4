import type { ClientEmbeddings } from '@tollgate/protocols/embeddings/index';
import type { RoutableModel, RouteTable } from '../../shared/catalogue/route-table.ts';
import type { AuthenticatedKey } from '../../shared/request/request-context.ts';
import { findModel, requireEmbeddingModel } from '../routing/find-model.ts';

/** A request that its model accepts. */
export interface CheckedRequest {
  entry: RoutableModel;
  /** Maximum input tokens. */
  inputTokens: number;
}

/**
 * Checks a parsed request against the catalogue: the model and its purpose. Throws an ApiError that names the field.
 */
export function checkRequest(request: ClientEmbeddings, table: RouteTable, key: AuthenticatedKey): CheckedRequest {
  const entry = findModel(request.model, table, key);
  requireEmbeddingModel(entry, request.model);
  const { model } = entry;
  const inputTokens = request.bound({
    tokensPerRequest: Number(model.tokensPerRequest),
    tokensPerMessage: Number(model.tokensPerMessage),
    maxTokensPerImage: 0,
    maxOutputTokens: 0,
    contextWindow: Number(model.contextWindow),
  });
  return { entry, inputTokens };
}
