import { Modality, Protocol } from '@tollgate/proto/router';
import type { RequestBound } from '@tollgate/protocols/bound';
import { boundChatRequest } from '@tollgate/protocols/openai-chat/bound';
import { type DecodedChatRequest, decodeChatRequest } from '@tollgate/protocols/openai-chat/decode-request';
import { type ChatGuard, guardChatRequest } from '@tollgate/protocols/openai-chat/guard';
import { apiErrors } from '../errors/api-error.ts';
import type { AuthenticatedKey } from '../http/request-context.ts';
import {
  isAllowed,
  isServed,
  modalityName,
  protocolName,
  type RoutableModel,
  type RouteTable,
} from '../routes/route-table.ts';

/** A chat request that may be sent to its model. */
export interface AdmittedChat {
  decoded: DecodedChatRequest;
  guard: ChatGuard;
  bound: RequestBound;
  entry: RoutableModel;
}

/**
 * Judges a chat request by itself and against the catalogue: JSON and field types, the model and what it offers, fields
 * that would cost more than is priced or reach into the shared provider account. Throws an ApiError that names the field.
 */
export function admitChat(
  body: Buffer,
  contentType: string | undefined,
  table: RouteTable,
  key: AuthenticatedKey,
): AdmittedChat {
  requireJson(contentType);
  const result = decodeChatRequest(body);
  if (!result.ok) throw apiErrors.invalidRequest(sentence(result.error.message));
  const { decoded } = result;
  const entry = findModel(decoded.model, table, key);
  if (!entry.model.protocols.includes(Protocol.OPENAI_CHAT)) {
    throw apiErrors.protocolMismatch(
      decoded.model,
      protocolName(Protocol.OPENAI_CHAT),
      entry.model.protocols.map(protocolName),
    );
  }
  const guard = guardChatRequest(decoded);
  const [refusal] = guard.refusals;
  if (refusal !== undefined) throw apiErrors.invalidRequest(sentence(refusal.message));
  const bound = boundChatRequest(decoded, factsOf(entry));
  requireModalities(entry, bound);
  requireOutputLimit(entry, bound, decoded);
  return { decoded, guard, bound, entry };
}

/** SDKs always say that they send JSON; a form or a text would be something else by mistake. */
function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || /^\s*application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(contentType)) return;
  throw apiErrors.invalidRequest('The content-type header must be application/json.');
}

function findModel(name: string, table: RouteTable, key: AuthenticatedKey): RoutableModel {
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
      `messages: the model '${entry.model.modelId}' takes ${taken} only, and the request has ${modality} input.`,
    );
  }
}

function requireOutputLimit(entry: RoutableModel, bound: RequestBound, { request }: DecodedChatRequest): void {
  const limit = bound.requestedOutputTokens;
  if (limit === undefined || limit <= Number(entry.model.maxOutputTokens)) return;
  const field = typeof request.max_completion_tokens === 'number' ? 'max_completion_tokens' : 'max_tokens';
  throw apiErrors.invalidRequest(
    `${field}: ${limit} is more than the ${entry.model.maxOutputTokens} output tokens of '${entry.model.modelId}'.`,
  );
}

/** The protocols' notes begin with a path and end without a full stop. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
