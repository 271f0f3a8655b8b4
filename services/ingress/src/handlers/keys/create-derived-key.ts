import { status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient, CreateDerivedKeyRequest, CreateDerivedKeyResponse } from '@tollgate/proto/auth';
import { ApiError, apiErrors } from '../../shared/errors/api-error.ts';
import {
  type AuthenticatedKey,
  keyOf,
  type TollgateRequest,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';

const DEADLINE_MS = 5_000;
/** Room for keys to end. */
const FULL_RETRY_MS = 60_000;

/** POST /v1/keys: makes a key below the key of the request. Its value is only in the response. */
export function createDerivedKeyHandler({ auth }: { auth: Pick<AuthServiceClient, 'createDerivedKey'> }) {
  return async (_req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { context, body } = res.locals;
    const key = keyOf(context);
    await context.admission?.recordUsage(0);
    // With the first request: what reads it takes some MiB, and most gateways get none.
    const { readDerivedKey, renderDerivedKey } = await import('./derived-key-json.ts');
    const request = readDerivedKey(body, key, Date.now());
    const made = await create(auth, request, key);
    res.statusCode = 201;
    res.setHeader('cache-control', 'no-store');
    sendJson(res, renderDerivedKey(made));
  };
}

async function create(
  auth: Pick<AuthServiceClient, 'createDerivedKey'>,
  request: CreateDerivedKeyRequest,
  { credential }: AuthenticatedKey,
): Promise<CreateDerivedKeyResponse> {
  try {
    return await unaryCall(auth.createDerivedKey.bind(auth), request, { deadlineMs: DEADLINE_MS });
  } catch (error) {
    if (!isGrpcError(error)) throw error;
    switch (error.code) {
      case status.INVALID_ARGUMENT:
      case status.FAILED_PRECONDITION:
        throw apiErrors.invalidField(error.details);
      case status.NOT_FOUND:
        // It has ended since it was authenticated.
        throw apiErrors.refusedKey(credential, 'unknown');
      case status.RESOURCE_EXHAUSTED:
        throw new ApiError({
          status: 429,
          type: 'rate_limit_exceeded',
          reason: undefined,
          message: `${error.details}. Delete some, or let them end.`,
          retryAfterMs: FULL_RETRY_MS,
        });
      case status.UNAVAILABLE:
      case status.DEADLINE_EXCEEDED:
        throw apiErrors.unavailable('The key service');
      default:
        throw error;
    }
  }
}
