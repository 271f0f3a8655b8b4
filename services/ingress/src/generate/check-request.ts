import { Modality } from '@tollgate/proto/router';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { ClientRequest } from '@tollgate/protocols/interface/protocol';
import type { RequestBound } from '@tollgate/protocols/request/bound';
import { apiErrors } from '../errors/api-error.ts';
import type { AuthenticatedKey } from '../http/request-context.ts';
import { findModel, requireProtocol } from '../model-routing/find-model.ts';
import { isServed, modalityName, type RoutableModel, type RouteTable, servedTo } from '../model-routing/route-table.ts';

/** A request that its model accepts. */
export interface CheckedRequest {
  entry: RoutableModel;
  bound: RequestBound;
}

/**
 * Checks a parsed request against the catalogue: the model and its capabilities, and fields that the gateway does not allow.
 * Throws an ApiError that names the field.
 *
 * @param mayClamp an output limit beyond the model's is lowered instead of rejected
 */
export function checkRequest(
  request: ClientRequest,
  protocol: ProtocolName,
  table: RouteTable,
  key: AuthenticatedKey,
  mayClamp: boolean,
): CheckedRequest {
  const entry = selectModel(request, protocol, table, key);
  const bound = request.bound(modelFactsOf(entry));
  requireModalities(entry, bound);
  if (!mayClamp) requireOutputLimit(entry, request);
  return { entry, bound };
}

/**
 * Selects the model of a parsed request, with the checks that also apply when its tokens are only counted. Throws an
 * ApiError that names the field.
 */
export function selectModel(
  request: ClientRequest,
  protocol: ProtocolName,
  table: RouteTable,
  key: AuthenticatedKey,
): RoutableModel {
  const found = findModel(request.model, table, key);
  requireProtocol(found, request.model, protocol);
  const entry = servedTo(found, protocol);
  if (!isServed(entry)) throw apiErrors.modelNotAvailable(request.model);
  const [violation] = request.policy.errors;
  if (violation !== undefined) throw apiErrors.invalidField(violation.message);
  return entry;
}

function modelFactsOf({ model }: RoutableModel) {
  return {
    tokensPerRequest: Number(model.tokensPerRequest),
    tokensPerMessage: Number(model.tokensPerMessage),
    maxTokensPerImage: Number(model.maxTokensPerImage),
    maxOutputTokens: Number(model.maxOutputTokens),
    contextWindow: Number(model.contextWindow),
  };
}

const MODALITIES = { text: Modality.TEXT, image: Modality.IMAGE, audio: Modality.AUDIO, file: Modality.FILE } as const;

function requireModalities(entry: RoutableModel, bound: RequestBound): void {
  for (const modality of bound.modalities) {
    if (entry.inputModalities.has(MODALITIES[modality])) continue;
    const accepted = entry.model.inputModalities.map(modalityName).join(', ');
    throw apiErrors.invalidRequest(
      `The model '${entry.model.modelId}' accepts only ${accepted} input, and the request has ${modality} input.`,
    );
  }
}

function requireOutputLimit(entry: RoutableModel, { outputLimit }: ClientRequest): void {
  const { tokens, field } = outputLimit;
  if (tokens === undefined || tokens <= Number(entry.model.maxOutputTokens)) return;
  throw apiErrors.invalidRequest(
    `${field}: ${tokens} is more than the ${entry.model.maxOutputTokens} output tokens of '${entry.model.modelId}'.`,
  );
}
