import type { ProtocolName } from '@tollgate/protocols/protocol-name';
import { requireGenerationModel } from '../embeddings/purpose.ts';
import { apiErrors } from '../errors/api-error.ts';
import type { AuthenticatedKey } from '../http/request-context.ts';
import {
  isAllowed,
  isServed,
  protocolName,
  type RoutableModel,
  type RouteTable,
} from '../model-routing/route-table.ts';

/** Finds the model that a request names, if this key may call it now; throws an ApiError. */
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

/** Refuses a model that is not offered through the protocol it was called in. */
export function requireProtocol(entry: RoutableModel, name: string, called: ProtocolName): void {
  requireGenerationModel(entry, name);
  const offered = entry.model.protocols.map(protocolName);
  if (!offered.includes(called)) throw apiErrors.protocolMismatch(name, called, offered);
}
