import type { Pool } from '@tollgate/common/postgres/pool';
import { ApiError } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { hashOfUserCode } from '../../oauth/codes.ts';
import { takeUserCodeAttempt } from '../../sign-in/attempt-limits.ts';
import { findOpenDevice } from '../../store/device-authorizations.ts';

/** What asks for a session of the signed-in person. Codes that nobody waits with are counted. */
export function createFindDeviceHandler({ pool }: { pool: Pool }): Handler<'POST /device-authorizations/find'> {
  return async ({ session, body }) => {
    const found = await takeUserCodeAttempt(pool, session.personId, () =>
      findOpenDevice(pool, hashOfUserCode(body.user_code)),
    );
    if (found === undefined) throw noSuchCode();
    return {
      device: found.device,
      ip_address: found.ip_address,
      created_at: found.created_at.toISOString(),
      expires_at: found.expires_at.toISOString(),
    };
  };
}

export function noSuchCode(): ApiError {
  return new ApiError('not_found', 'Nothing waits with this code. It may have expired: begin again there.');
}
