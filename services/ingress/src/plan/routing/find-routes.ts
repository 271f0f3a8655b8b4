import { Modality } from '@tollgate/proto/router';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import {
  isAllowed,
  isServed,
  type RoutableModel,
  type Route,
  type RouteTable,
} from '../../shared/catalogue/route-table.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import type { AuthenticatedKey } from '../../shared/request/request-context.ts';

/** Finds the model that a request names; throws an ApiError unless this key can call it now. */
export function findModel(name: string, table: RouteTable, key: AuthenticatedKey): RoutableModel {
  const entry = table.find(name);
  if (entry === undefined) throw apiErrors.modelNotAvailable(name);
  if (!entry.model.enabled || !isAllowed(entry, key)) {
    throw apiErrors.modelNotSupported(
      name,
      table.callable(key).map((other) => other.model.modelId),
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

/**
 * The order in which a request tries a model's deployments: those in rotation, lower priority numbers first, and among
 * equals by weighted rendezvous hashing of the affinity. So a conversation stays at the deployment that has its prompt
 * cache while that one is healthy, and each deployment gets its share.
 *
 * @param affinityOf returns a hash of what all requests of the conversation share
 */
export function orderRoutes({ healthy }: RoutableModel, affinityOf: () => number): readonly Route[] {
  if (healthy.length < 2) return healthy;
  const affinity = affinityOf();
  return healthy
    .map((route) => ({ route, score: rendezvousScore(route, affinity) }))
    .sort((a, b) => a.route.deployment.priority - b.route.deployment.priority || b.score - a.score)
    .map(({ route }) => route);
}

/** Weighted rendezvous hashing: -weight / ln(u), u uniform in (0, 1) from the pair's hash. */
function rendezvousScore(route: Route, affinity: number): number {
  const hash = fnv1a(Buffer.from(route.deployment.deploymentId), affinity);
  const uniform = (hash + 1) / 0x1_0000_0001;
  return -route.deployment.weight / Math.log(uniform);
}

const AFFINITY_BYTES = 256;

/** Hashes the account and the beginning of the prompt, which all turns of a conversation share. */
export function affinityOf(accountId: string, prompt: Buffer): number {
  return fnv1a(prompt.subarray(0, AFFINITY_BYTES), fnv1a(Buffer.from(accountId), 0));
}

/** FNV-1a over bytes with a final mix, 32 bits. */
function fnv1a(bytes: Uint8Array, seed: number): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0;
  return (hash ^ (hash >>> 16)) >>> 0;
}
