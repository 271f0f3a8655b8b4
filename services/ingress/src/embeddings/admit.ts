import type { ClientEmbeddings } from '@tollgate/protocols/embeddings/index';
import { findModel } from '../generate/find-model.ts';
import type { AuthenticatedKey } from '../http/request-context.ts';
import type { RoutableModel, RouteTable } from '../model-routing/route-table.ts';
import { requireEmbeddingModel } from './purpose.ts';

/** A call that its model takes. */
export interface AdmittedEmbeddings {
  entry: RoutableModel;
  /** Tokens at most. */
  inputTokens: number;
}

/**
 * Judges a well-formed call against the catalogue: the model and what it is for. Throws an ApiError that names the field.
 */
export function admitEmbeddings(
  request: ClientEmbeddings,
  table: RouteTable,
  key: AuthenticatedKey,
): AdmittedEmbeddings {
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
