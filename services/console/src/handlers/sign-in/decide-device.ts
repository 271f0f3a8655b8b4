import type { Pool } from '@tollgate/common/postgres/pool';
import { ApiError } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { hashOfUserCode } from '../../oauth/codes.ts';
import { takeUserCodeAttempt } from '../../sign-in/attempt-limits.ts';
import { decideDevice } from '../../store/device-authorizations.ts';
import { noSuchCode } from './find-device.ts';

/** Gives what asks a session of the signed-in person, or refuses it. A session that was given so gives no others. */
export function createDecideDeviceHandler({ pool }: { pool: Pool }): Handler<'POST /device-authorizations/decide'> {
  return async ({ session, body }) => {
    if (session.kind !== 'browser') throw new ApiError('not_allowed', 'Confirm it in a browser.');
    const { personId, generation } = session;
    const decided = await takeUserCodeAttempt(pool, personId, async () => {
      const isDone = await decideDevice(
        pool,
        hashOfUserCode(body.user_code),
        body.approve ? { personId, generation } : undefined,
      );
      return isDone ? true : undefined;
    });
    if (decided === undefined) throw noSuchCode();
  };
}
