import type { Dependencies } from '../dependencies.ts';
import { ApiError } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { hashOfUserCode } from '../oauth/codes.ts';
import { takeUserCodeAttempt } from '../sign-in/attempt-limits.ts';
import { decideDevice, findOpenDevice } from '../store/device-authorizations.ts';

/** Handlers of what asks for a session of the signed-in person. Codes that nobody waits with are counted. */
export function deviceHandlers({ pool }: Dependencies) {
  return {
    findDeviceAuthorization: async ({ userCode }, { session }) => {
      const found = await takeUserCodeAttempt(pool, session.personId, () =>
        findOpenDevice(pool, hashOfUserCode(userCode)),
      );
      if (found === undefined) throw noSuchCode();
      return {
        device: found.device,
        ipAddress: found.ip_address,
        createdAtMs: BigInt(found.created_at.getTime()),
        expiresAtMs: BigInt(found.expires_at.getTime()),
      };
    },

    // A session that was given so gives no others.
    decideDeviceAuthorization: async ({ userCode, approve }, { session }) => {
      if (session.kind !== 'browser') throw new ApiError('not_allowed', 'Confirm it in a browser.');
      const { personId, generation } = session;
      const decided = await takeUserCodeAttempt(pool, personId, async () => {
        const by = approve ? { personId, generation } : undefined;
        return (await decideDevice(pool, hashOfUserCode(userCode), by)) ? true : undefined;
      });
      if (decided === undefined) throw noSuchCode();
    },
  } satisfies Partial<Handlers>;
}

function noSuchCode(): ApiError {
  return new ApiError('not_found', 'Nothing waits with this code. It may have expired: begin again there.');
}
