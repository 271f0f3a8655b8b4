import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { apiErrors } from '../errors/api-error.ts';
import type { AuthenticatedKey } from '../http/request-context.ts';
import { requireGenerationModel } from './model-purpose.ts';
import { isAllowed, isServed, protocolName, type RoutableModel, type RouteTable } from './route-table.ts';

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

/** Throws an ApiError for a model that is not offered in the protocol of the call. */
export function requireProtocol(entry: RoutableModel, name: string, called: ProtocolName): void {
  requireGenerationModel(entry, name);
  const offered = entry.model.protocols.map(protocolName);
  if (!offered.includes(called)) throw apiErrors.protocolMismatch(name, called, offered);
}
