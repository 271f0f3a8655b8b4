import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { dashTraceId } from '@tollgate/common/ids';
import { minBigInt, parseDollars } from '@tollgate/common/money';
import { apiErrors } from '../../shared/errors/api-error.ts';
import type { LimitedSession } from '../../shared/request/request-context.ts';

const HEADER = 'x-tollgate-session-limit';

/**
 * The session of a request, if it may spend a limited amount: what is set for sessions of the key, or less in the header.
 *
 * @param name as the client names it; empty: it does not
 * @throws ApiError for a header that is not an amount, or without a session
 */
export function limitedSession(
  { keyId, sessionNanos }: { keyId: string; sessionNanos: bigint | undefined },
  name: string,
  headers: IncomingHttpHeaders,
): LimitedSession | undefined {
  const asked = askedLimit(headers[HEADER]);
  if (asked !== undefined && name === '') {
    throw apiErrors.invalidField(`${HEADER}: needs a session, named in x-tollgate-session by at most 100 characters`);
  }
  const limitNanos = asked === undefined ? sessionNanos : minBigInt(asked, sessionNanos ?? asked);
  if (name === '' || limitNanos === undefined) return undefined;
  return { nodeId: sessionNodeId(keyId, name), name, limitNanos };
}

function askedLimit(header: string | string[] | undefined): bigint | undefined {
  if (header === undefined) return undefined;
  const nanos = typeof header === 'string' ? parseDollars(header) : undefined;
  if (nanos === undefined || nanos <= 0n) {
    throw apiErrors.invalidField(`${HEADER}: must be a positive amount of dollars such as 5 or 0.25, below 1000000000`);
  }
  return nanos;
}

/** A UUIDv8 (RFC 9562) of a key and the name of a session. */
function sessionNodeId(keyId: string, name: string): string {
  const hash = createHash('sha256').update(`${keyId}/${name}`).digest();
  hash[6] = 0x80 | (hash.readUInt8(6) & 0x0f);
  hash[8] = 0x80 | (hash.readUInt8(8) & 0x3f);
  return dashTraceId(hash.toString('hex', 0, 16));
}
