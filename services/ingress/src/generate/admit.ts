import { Modality } from '@tollgate/proto/router';
import type { RequestBound } from '@tollgate/protocols/bound';
import type { ClientRequest } from '@tollgate/protocols/protocol';
import type { ProtocolName } from '@tollgate/protocols/protocol-name';
import { apiErrors } from '../errors/api-error.ts';
import type { AuthenticatedKey } from '../http/request-context.ts';
import { modalityName, type RoutableModel, type RouteTable } from '../model-routing/route-table.ts';
import { findModel, requireProtocol } from './find-model.ts';
import { sentence } from './sentence.ts';

/** A request that its model takes. */
export interface Admitted {
  entry: RoutableModel;
  bound: RequestBound;
}

/**
 * Judges a well-formed request against the catalogue: the model and what it offers, and fields that would cost more than
 * is priced or reach into the shared provider account. Throws an ApiError that names the field.
 *
 * @param mayClamp an output limit beyond the model's own is lowered to it, instead of refused
 */
export function admit(
  request: ClientRequest,
  protocol: ProtocolName,
  table: RouteTable,
  key: AuthenticatedKey,
  mayClamp: boolean,
): Admitted {
  const entry = admitModel(request, protocol, table, key);
  const bound = request.bound(factsOf(entry));
  requireModalities(entry, bound);
  if (!mayClamp) requireOutputLimit(entry, request);
  return { entry, bound };
}

/**
 * Finds the model of a well-formed request, and judges what is judged whether the request is answered or only counted.
 * Throws an ApiError that names the field.
 */
export function admitModel(
  request: ClientRequest,
  protocol: ProtocolName,
  table: RouteTable,
  key: AuthenticatedKey,
): RoutableModel {
  const entry = findModel(request.model, table, key);
  requireProtocol(entry, request.model, protocol);
  const [refusal] = request.policy.errors;
  if (refusal !== undefined) throw apiErrors.invalidRequest(sentence(refusal.message));
  return entry;
}

function factsOf({ model }: RoutableModel) {
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
    const taken = entry.model.inputModalities.map(modalityName).join(', ');
    throw apiErrors.invalidRequest(
      `The model '${entry.model.modelId}' takes ${taken} only, and the request has ${modality} input.`,
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
