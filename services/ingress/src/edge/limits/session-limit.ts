import type { IncomingHttpHeaders } from 'node:http';
import { type LimitGrant, SESSION_REVISION, sessionNodeId } from '@tollgate/common/keys/index';
import { minBigInt, parseDollars } from '@tollgate/common/money';
import { apiErrors } from '../../shared/errors/api-error.ts';
import type { LimitedSession } from '../../shared/request/request-context.ts';

const HEADER = 'x-tollgate-session-limit';

/**
 * The session of a request, if it may spend a limited amount: what is set for sessions of the key, or less in the header. What
 * somebody granted this session counts instead of both.
 *
 * @param name as the client names it; empty: it does not
 * @throws ApiError for a header that is not an amount, or without a session
 */
export function limitedSession(
  { keyId, sessionNanos, grants }: { keyId: string; sessionNanos: bigint | undefined; grants: readonly LimitGrant[] },
  name: string,
  headers: IncomingHttpHeaders,
): LimitedSession | undefined {
  const asked = askedLimit(headers[HEADER]);
  if (asked !== undefined && name === '') {
    throw apiErrors.invalidField(`${HEADER}: needs a session, named in x-tollgate-session by at most 100 characters`);
  }
  const limitNanos = asked === undefined ? sessionNanos : minBigInt(asked, sessionNanos ?? asked);
  if (name === '' || limitNanos === undefined) return undefined;
  const nodeId = sessionNodeId(keyId, name);
  const granted = grants.find((grant) => grant.sessionNodeId === nodeId);
  if (granted !== undefined) return { nodeId, name, limitNanos: granted.limitNanos, revision: granted.revision };
  return { nodeId, name, limitNanos, revision: SESSION_REVISION - limitNanos };
}

function askedLimit(header: string | string[] | undefined): bigint | undefined {
  if (header === undefined) return undefined;
  const nanos = typeof header === 'string' ? parseDollars(header) : undefined;
  if (nanos === undefined || nanos <= 0n) {
    throw apiErrors.invalidField(`${HEADER}: must be a positive amount of dollars such as 5 or 0.25, below 1000000000`);
  }
  return nanos;
}
