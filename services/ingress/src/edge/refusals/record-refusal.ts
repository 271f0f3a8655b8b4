import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import type { Refusal } from '@tollgate/proto/ledger';
import type { ApiError } from '../../shared/errors/api-error.ts';
import { refusingLimit } from '../../shared/limits/ceilings.ts';
import {
  heldNodesOf,
  type KeyOwner,
  type RequestContext,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import { protocolOfPath } from '../../shared/request/surface.ts';
import { modelNamedIn } from '../limits/model-call.ts';
import type { RefusalReporter } from './refusal-reporter.ts';

/**
 * Records the error response of a request as a refusal, unless its account is not known or the request has a charge, which
 * says more.
 */
export function recordRefusal(
  refusals: Pick<RefusalReporter, 'record'>,
  error: ApiError,
  { req, locals: { context, body } }: TollgateResponse,
): void {
  const { owner, surface, isCharged } = context;
  const { reason } = error;
  if (owner === undefined || reason === undefined || surface === 'billing' || surface === 'keys' || isCharged) return;
  refusals.record(owner.accountId, reason, () =>
    describeRefusal({ context, path: req.path, body }, owner, error, reason, Date.now()),
  );
}

const MAX_MODEL_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 1_000;
/** The part of a body in which its model is searched: clients put it first, and a refusal must stay cheap. */
const MAX_SEARCHED_BYTES = 16 * 1024;

/**
 * What looks like a key of this gateway or of a provider, such as `sk-tollgate-…`, `sk-ant-…` or `AIza…`. Clients that mix up
 * their settings send a key as the name of a model.
 */
const KEY_LIKE = /\b(?:[smpr]k-|AIza)[\w-]{12,}/g;

/** A refused request, as far as it was read. */
export interface RefusedRequest {
  context: Pick<RequestContext, 'requestId' | 'traceId' | 'surface' | 'clientIds' | 'key'>;
  path: string;
  /** Undefined if it was not read. */
  body: Buffer | undefined;
}

/**
 * Describes a refused request. Messages of the gateway quote names of models and fields at most, never a prompt; those of
 * providers, which may, are never recorded. `[redacted]` replaces what looks like a key.
 */
export function describeRefusal(
  { context, path, body }: RefusedRequest,
  owner: KeyOwner,
  error: ApiError,
  reason: RefusalReason,
  nowMs: number,
): Refusal {
  const searched = body?.subarray(0, MAX_SEARCHED_BYTES) ?? Buffer.alloc(0);
  return {
    requestId: context.requestId,
    traceId: context.traceId,
    accountId: owner.accountId,
    keyId: owner.keyId,
    keyName: owner.keyName,
    model: plainText(modelNamedIn(path, context.surface, searched) ?? '', MAX_MODEL_CHARACTERS),
    protocolIn: protocolOfPath(path, context.surface),
    httpStatus: error.status,
    errorType: error.type,
    reason,
    message: plainText(error.message, MAX_MESSAGE_CHARACTERS),
    refusedAtMs: BigInt(nowMs),
    clientSessionId: context.clientIds.clientSessionId,
    limit: error.cap && context.key && refusingLimit(error.cap, context.key),
    nodes: context.key === undefined ? [] : heldNodesOf(context.key),
  };
}

/** Text that a database accepts, without keys: names of models may be any text. */
function plainText(text: string, maxCharacters: number): string {
  return text
    .replaceAll(/\p{Cc}/gu, '')
    .replaceAll(KEY_LIKE, '[redacted]')
    .slice(0, maxCharacters)
    .toWellFormed();
}
